/** What the server shows in and beside the text: semantic tokens, inlay hints, folding. */

import { LSPPlugin } from '@codemirror/lsp-client';
import { foldService } from '@codemirror/language';
import { type Extension, Prec, RangeSetBuilder, StateEffect, StateField, type Text } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate, WidgetType } from '@codemirror/view';
import type * as lsp from 'vscode-languageserver-protocol';

/** Milliseconds without a change after which answers are fetched anew. */
const PAUSE = 120;
/** Milliseconds in which the first answers wait for the first diagnostics, which come before them. */
const FIRST = 600;
/** Lines before and after what is seen that are asked for. */
const MARGIN = 60;

const setTokens = StateEffect.define<DecorationSet>();
const setHints = StateEffect.define<DecorationSet>();
const setFolds = StateEffect.define<lsp.FoldingRange[]>();

function decorations(effect: typeof setTokens): StateField<DecorationSet> {
  return StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update(value, transaction) {
      value = value.map(transaction.changes);
      for (const it of transaction.effects) if (it.is(effect)) value = it.value;
      return value;
    },
    // Nested in the colours that are there before the server has answered.
    provide: (field) => Prec.highest(EditorView.decorations.from(field)),
  });
}

const folds = StateField.define<lsp.FoldingRange[]>({
  create: () => [],
  update(value, transaction) {
    for (const it of transaction.effects) if (it.is(setFolds)) value = it.value;
    return value;
  },
});

class HintWidget extends WidgetType {
  constructor(
    private readonly label: string,
    private readonly tooltip: string,
    private readonly left: boolean,
    private readonly right: boolean,
  ) {
    super();
  }

  override eq(other: HintWidget): boolean {
    return other.label === this.label && other.tooltip === this.tooltip;
  }

  toDOM(): HTMLElement {
    const span = document.createElement('span');
    span.className = 'inlay-hint';
    span.textContent = `${this.left ? ' ' : ''}${this.label}${this.right ? ' ' : ''}`;
    span.title = this.tooltip;
    // Not a part of the text; who reads by ear asks for a hover.
    span.ariaHidden = 'true';
    return span;
  }
}

function offset(doc: Text, { line, character }: lsp.Position): number {
  if (line >= doc.lines) return doc.length;
  const at = doc.line(line + 1);
  return Math.min(at.from + character, at.to);
}

function tokenDecorations(doc: Text, data: number[], legend: lsp.SemanticTokensLegend): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  let [line, character] = [0, 0];
  for (let at = 0; at + 4 < data.length; at += 5) {
    const [lines = 0, columns = 0, length = 0, type = 0, modifiers = 0] = data.slice(at, at + 5);
    line += lines;
    character = lines > 0 ? columns : character + columns;
    if (line >= doc.lines) break;
    const from = offset(doc, { line, character });
    const to = Math.min(from + length, doc.length);
    if (from >= to) continue;
    const names = legend.tokenModifiers.filter((_, bit) => modifiers & (1 << bit)).map((it) => ` ptx-${it}`);
    builder.add(from, to, Decoration.mark({ class: `ptx-${legend.tokenTypes[type] ?? 'unknown'}${names.join('')}` }));
  }
  return builder.finish();
}

function hintDecorations(doc: Text, hints: lsp.InlayHint[]): DecorationSet {
  const all = hints.map((hint) => {
    const label = typeof hint.label === 'string' ? hint.label : hint.label.map((it) => it.value).join('');
    const tooltip = typeof hint.tooltip === 'string' ? hint.tooltip : (hint.tooltip?.value ?? '');
    const widget = new HintWidget(label, tooltip, hint.paddingLeft ?? false, hint.paddingRight ?? false);
    return Decoration.widget({ widget, side: 1 }).range(offset(doc, hint.position));
  });
  return Decoration.set(all, true);
}

const fetcher = ViewPlugin.fromClass(
  class {
    private timer: ReturnType<typeof setTimeout> | undefined;
    private running = true;

    constructor(private readonly view: EditorView) {
      void LSPPlugin.get(view)?.client.initializing.then(() => this.schedule(FIRST));
    }

    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged) this.schedule(PAUSE);
    }

    destroy(): void {
      this.running = false;
      clearTimeout(this.timer);
    }

    schedule(pause: number): void {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.fetch(), pause);
    }

    private async fetch(): Promise<void> {
      const { view } = this;
      const plugin = LSPPlugin.get(view);
      if (!plugin?.client.serverCapabilities) return;
      const { client, uri } = plugin;
      const legend = client.serverCapabilities?.semanticTokensProvider?.legend;
      client.sync();
      const { doc } = view.state;
      const first = Math.max(1, doc.lineAt(view.viewport.from).number - MARGIN);
      const last = Math.min(doc.lines, doc.lineAt(view.viewport.to).number + MARGIN);
      const range = {
        start: { line: first - 1, character: 0 },
        end: plugin.toPosition(doc.line(last).to),
      };
      const ask = async <Result>(method: string, params: object): Promise<Result | null> => {
        try {
          return await client.request<object, Result | null>(method, params);
        } catch {
          // The text has changed meanwhile; it is asked for again.
          return null;
        }
      };
      const textDocument = { uri };
      const [tokens, hints, ranges] = await Promise.all([
        ask<lsp.SemanticTokens>('textDocument/semanticTokens/range', { textDocument, range }),
        ask<lsp.InlayHint[]>('textDocument/inlayHint', { textDocument, range }),
        ask<lsp.FoldingRange[]>('textDocument/foldingRange', { textDocument }),
      ]);
      if (!this.running) return;
      if (view.state.doc !== doc) {
        this.schedule(PAUSE);
        return;
      }
      const effects: StateEffect<unknown>[] = [];
      if (tokens && legend) effects.push(setTokens.of(tokenDecorations(doc, tokens.data, legend)));
      if (hints) effects.push(setHints.of(hintDecorations(doc, hints)));
      if (ranges) effects.push(setFolds.of(ranges));
      view.dispatch({ effects });
    }
  },
);

/** Fetches everything again, as after a change of the settings. */
export function refreshAnnotations(view: EditorView): void {
  view.plugin(fetcher)?.schedule(0);
}

/** Whether other parts of the text can be folded than before. */
export function foldsChanged(update: ViewUpdate): boolean {
  return update.startState.field(folds, false) !== update.state.field(folds, false);
}

export function annotations(): Extension {
  return [
    decorations(setTokens),
    decorations(setHints),
    folds,
    fetcher,
    foldService.of((state, start) => {
      const line = state.doc.lineAt(start).number - 1;
      const range = state.field(folds).find((it) => it.startLine === line);
      if (!range || range.endLine >= state.doc.lines) return null;
      const to = state.doc.line(range.endLine + 1);
      const from = state.doc.lineAt(start).to;
      return { from, to: range.endCharacter === undefined ? to.to : Math.min(to.from + range.endCharacter, to.to) };
    }),
  ];
}
