/** The playground: a text, what the server says of it, and what is beside it. */

import { unifiedMergeView } from '@codemirror/merge';
import { formatDocument, LSPPlugin, renameSymbol } from '@codemirror/lsp-client';
import type { EditorView } from '@codemirror/view';

import type { Word } from '../../vscode/src/protocol';
import { refreshAnnotations } from './annotations';
import { byId, element } from './dom';
import { Editor } from './editor';
import { EXAMPLES, languageOf } from './examples';
import type { Page, Pane } from './pane';
import { PANES } from './panes';
import { applyEdit, NO_PROBLEMS, type Problems } from './problems';
import { begin, runPane } from './run_pane';
import { checked, fromFragment, type Shared, toFragment } from './share';
import { SlowServer } from './transport';

const STORE = 'ptx-analyzer.playground';
/** Milliseconds without a change after which a pane is filled anew, and the text is kept. */
const PAUSE = 300;

const examples = byId<HTMLSelectElement>('examples');
const targetPicker = byId<HTMLSelectElement>('target');
const status = byId('status');
const tabs = byId('tabs');
const pane = byId('pane');
const dark = matchMedia('(prefers-color-scheme: dark)');

let found = NO_PROBLEMS;
let before: string | undefined;
let chosen: Pane = PANES[0] as Pane;
let timer: ReturnType<typeof setTimeout> | undefined;
let listing: ReturnType<typeof setTimeout> | undefined;
let filling = 0;

function settings(): object {
  return {
    target: targetPicker.value === '' ? null : targetPicker.value,
  };
}

/** What became of a command. */
function say(text: string): void {
  byId('message').textContent = text;
}

const kept = restore();
if (kept?.target) addTarget(kept.target);

const editor = new Editor(byId('editor'), settings(), {
  problems(view, problems) {
    if (found.doc === undefined) refreshAnnotations(view);
    found = problems;
    const count = (severity: number): number => problems.diagnostics.filter((it) => it.severity === severity).length;
    const [errors, warnings] = [count(1), count(2)];
    status.textContent = `${errors} ${errors === 1 ? 'error' : 'errors'}, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`;
    performance.mark('diagnostics');
    for (const tell of waiting.splice(0)) tell();
    if (chosen.id === 'problems') list(problems);
  },
  changed: () => schedule(),
  moved: () => {
    if (chosen.follows) schedule();
  },
  failed: (message) => {
    status.textContent = `The server does not run: ${message}`;
  },
});

/** For measurements: the editor, and the next diagnostics. */
const waiting: (() => void)[] = [];
Object.assign(globalThis, {
  playground: { view: editor.view, nextProblems: () => new Promise<void>((resolve) => waiting.push(resolve)) },
});

/** The second server, which is started when it is first needed. */
let slow: SlowServer | undefined;

function schedule(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    store();
    if (chosen.id !== 'problems') void fill();
  }, PAUSE);
}

function page(): Page {
  const { view } = editor;
  const { head, from, to } = view.state.selection.main;
  const plugin = LSPPlugin.get(view);
  const at = view.state.doc.lineAt(head);
  const isOfWord = /[\w.:%$]/;
  let [start, end] = [head - at.from, head - at.from];
  while (start > 0 && isOfWord.test(at.text[start - 1] ?? '')) start -= 1;
  while (end < at.text.length && isOfWord.test(at.text[end] ?? '')) end += 1;
  return {
    uri: editor.uri,
    text: editor.text,
    view,
    position: { line: at.number - 1, character: head - at.from },
    word: from < to ? view.state.sliceDoc(from, to) : at.text.slice(start, end),
    dark: dark.matches,
    problems: found,
    before,
    goTo: (line, character) => editor.goTo(line, character),
    apply: (edit) => {
      // Places in another text than the one that is listed mean nothing; a new list is on its way.
      if (view.state.doc === found.doc) applyEdit(view, edit);
    },
    markdown: (text) => plugin?.docToHTML({ kind: 'markdown', value: text }) ?? '',
  };
}

/** Lists problems: at once when there were none or are none, else when their fixes are known or typing pauses. */
function list(problems: Problems): void {
  clearTimeout(listing);
  const isNew = pane.dataset['shown'] !== 'problems' || pane.querySelector('li') === null;
  if (isNew || problems.fixes) void fill();
  else listing = setTimeout(() => void fill(), PAUSE);
}

/** Fills the pane that is seen; an answer that another question has overtaken is dropped. */
async function fill(): Promise<void> {
  filling += 1;
  const number = filling;
  const wanted = chosen;
  let content: Node[];
  try {
    slow ??= wanted.id === 'problems' ? undefined : new SlowServer(settings());
    content = await wanted.content(page(), slow as SlowServer);
  } catch (error) {
    content = [element('p', `This cannot be shown: ${error instanceof Error ? error.message : String(error)}`, 'note')];
  }
  if (number !== filling) return;
  // Typing in the pane continues.
  if (wanted.id === 'explain' && pane.contains(document.activeElement)) return;
  pane.replaceChildren(...content);
  pane.dataset['shown'] = wanted.id;
}

function choose(next: Pane): void {
  chosen = next;
  for (const tab of tabs.querySelectorAll<HTMLElement>('[role=tab]')) {
    const isIt = tab.dataset['pane'] === next.id;
    tab.ariaSelected = String(isIt);
    tab.tabIndex = isIt ? 0 : -1;
    if (!isIt) continue;
    pane.setAttribute('aria-labelledby', tab.id);
    // On narrow screens not all are seen.
    tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
  void fill();
}

for (const it of PANES) {
  const tab = element('button', it.title);
  tab.id = `tab-${it.id}`;
  tab.role = 'tab';
  tab.dataset['pane'] = it.id;
  tab.setAttribute('aria-controls', 'pane');
  tab.addEventListener('click', () => choose(it));
  tabs.append(tab);
}
tabs.addEventListener('keydown', (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  const next = PANES[(PANES.indexOf(chosen) + step + PANES.length) % PANES.length];
  if (next) {
    choose(next);
    byId(`tab-${next.id}`).focus();
  }
});

/** Shows a text as a file of its own. */
function open(text: string, name?: string): void {
  found = NO_PROBLEMS;
  editor.open(text, languageOf(text, name));
  compare(before);
}

/** Compares with a text, or with none. */
function compare(text: string | undefined): void {
  before = text;
  byId('compare').ariaPressed = String(text !== undefined);
  editor.decorate(
    text === undefined
      ? []
      : unifiedMergeView({ original: text, mergeControls: false, gutter: true, allowInlineDiffs: true }),
  );
}

function addTarget(name: string): void {
  if (![...targetPicker.options].some((it) => it.value === name)) targetPicker.append(new Option(name, name));
  targetPicker.value = name;
}

function shared(): Shared {
  const target = targetPicker.value;
  return { text: editor.text, ...(target === '' ? {} : { target }), ...(before === undefined ? {} : { before }) };
}

function store(): void {
  try {
    localStorage.setItem(STORE, JSON.stringify(shared()));
  } catch {
    // The browser keeps nothing, or the text is too long for it.
  }
}

function restore(): Shared | undefined {
  try {
    return checked(JSON.parse(localStorage.getItem(STORE) ?? ''));
  } catch {
    return undefined;
  }
}

async function show(it: Shared): Promise<void> {
  if (it.target) addTarget(it.target);
  before = it.before;
  open(it.text);
  await Promise.resolve();
  if (it.begin) {
    choose(runPane);
    // The pane takes the text before it runs it.
    await fill();
    await begin(it.begin === 'step');
  }
}

for (const [index, { name }] of EXAMPLES.entries()) examples.append(new Option(name, String(index)));
examples.addEventListener('change', () => {
  const example = EXAMPLES[Number(examples.value)];
  if (example) {
    before = undefined;
    open(example.text);
  }
  examples.value = '';
});

function configure(): void {
  const value = settings();
  editor.client.notification('workspace/didChangeConfiguration', { settings: value });
  slow?.configure(value);
  refreshAnnotations(editor.view);
  store();
  void fill();
}
targetPicker.addEventListener('change', configure);

const command = (id: string, run: () => void): void => byId(id).addEventListener('click', run);
const inEditor = (run: (view: EditorView) => boolean) => (): void => {
  editor.view.focus();
  run(editor.view);
};
command('format', inEditor(formatDocument));
command('rename', inEditor(renameSymbol));
command('compare', () => {
  compare(before === undefined ? editor.text : undefined);
  const pane = PANES.find((it) => it.id === (before === undefined ? 'problems' : 'difference'));
  if (pane) choose(pane);
});
command('share', () => {
  void toFragment(shared()).then(async (fragment) => {
    if (fragment === undefined) return say('The text is too long for a link.');
    const link = new URL(`#${fragment}`, location.href).href;
    history.replaceState(null, '', link);
    try {
      await navigator.clipboard.writeText(link);
      say('The link is copied; the text is in it, and nowhere else.');
    } catch {
      say('The link is in the address bar.');
    }
  });
});
const chooser = byId<HTMLInputElement>('file');
command('open', () => chooser.click());
const read = async (file: File | undefined): Promise<void> => {
  if (file) open(await file.text(), file.name);
};
chooser.addEventListener('change', () => void read(chooser.files?.[0]));
document.addEventListener('dragover', (event) => event.preventDefault());
document.addEventListener(
  'drop',
  (event) => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    event.stopPropagation();
    void read(file);
  },
  true,
);
dark.addEventListener('change', () => void fill());
window.addEventListener('hashchange', () => {
  void fromFragment(location.hash).then((it) => it && show(it));
});

const first = await fromFragment(location.hash);
choose(first?.begin ? runPane : chosen);
void show(first ?? kept ?? { text: EXAMPLES[0]?.text ?? '' });
/** Fills the list of targets. */
async function listTargets(): Promise<void> {
  const words = await editor.client.request<object, Word[]>('ptx/words', { kind: 'target' });
  const value = targetPicker.value;
  for (const { name } of words) if (![...targetPicker.options].some((it) => it.value === name)) addTarget(name);
  targetPicker.value = value;
}
// The first diagnostics wait for nothing that can come after them.
waiting.push(() => {
  void listTargets();
  if ('serviceWorker' in navigator) void navigator.serviceWorker.register('offline.js');
});
