/** Marks of the debugger in the editor: breakpoints, the line of a stop, and values after lines. */

import { type EditorState, type Extension, RangeSet, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, GutterMarker, gutter, WidgetType } from '@codemirror/view';

/** A stop as the editor shows it; lines are counted from 0. */
export interface ShownStop {
  line: number;
  /** Values, after the lines that name them. */
  values: ReadonlyMap<number, string>;
}

const toggle = StateEffect.define<number>();
const clear = StateEffect.define<null>();
const showStop = StateEffect.define<ShownStop | undefined>();

const mark = new (class extends GutterMarker {
  override toDOM(): Node {
    const it = document.createElement('span');
    it.className = 'breakpoint';
    return it;
  }
})();
const spacer = new (class extends GutterMarker {
  override toDOM(): Node {
    const it = document.createElement('span');
    it.className = 'breakpoint spacer';
    return it;
  }
})();

const breakpoints = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(set, transaction) {
    let next = set.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(clear)) next = RangeSet.empty;
      if (!effect.is(toggle)) continue;
      const from = effect.value;
      let has = false;
      next.between(from, from, () => {
        has = true;
      });
      next = has ? next.update({ filter: (at) => at !== from }) : next.update({ add: [mark.range(from)] });
    }
    return next;
  },
});

class ValueWidget extends WidgetType {
  constructor(private readonly text: string) {
    super();
  }

  override eq(other: ValueWidget): boolean {
    return other.text === this.text;
  }

  override toDOM(): HTMLElement {
    const it = document.createElement('span');
    it.className = 'ptx-value';
    it.textContent = this.text;
    return it;
  }
}

const stop = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(set, transaction) {
    let next = transaction.docChanged ? Decoration.none : set;
    for (const effect of transaction.effects) {
      if (effect.is(showStop)) next = decorations(transaction.state, effect.value);
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorations({ doc }: EditorState, shown: ShownStop | undefined): DecorationSet {
  if (!shown || shown.line >= doc.lines) return Decoration.none;
  const all = [Decoration.line({ class: 'ptx-stop' }).range(doc.line(shown.line + 1).from)];
  for (const [line, text] of shown.values) {
    if (line >= doc.lines) continue;
    all.push(Decoration.widget({ widget: new ValueWidget(text), side: 1 }).range(doc.line(line + 1).to));
  }
  return Decoration.set(all, true);
}

/** Called when the breakpoints change. */
let changed: () => void = () => undefined;

export function onBreakpoints(tell: () => void): void {
  changed = tell;
}

/** The lines with breakpoints, counted from 0. */
export function breakpointsOf({ state }: EditorView): number[] {
  const lines: number[] = [];
  state.field(breakpoints, false)?.between(0, state.doc.length, (from) => {
    lines.push(state.doc.lineAt(from).number - 1);
  });
  return lines;
}

/** Shows a stop, or that there is none. */
export function showStopIn(view: EditorView, shown: ShownStop | undefined): void {
  const effects: StateEffect<unknown>[] = [showStop.of(shown)];
  if (shown && shown.line < view.state.doc.lines) {
    effects.push(EditorView.scrollIntoView(view.state.doc.line(shown.line + 1).from, { y: 'nearest', yMargin: 80 }));
  }
  view.dispatch({ effects });
}

export function stepping(): Extension {
  return [
    breakpoints,
    stop,
    gutter({
      class: 'cm-breakpoints',
      markers: (view) => view.state.field(breakpoints),
      initialSpacer: () => spacer,
      domEventHandlers: {
        mousedown(view, line) {
          view.dispatch({ effects: toggle.of(line.from) });
          changed();
          return true;
        },
      },
    }),
  ];
}
