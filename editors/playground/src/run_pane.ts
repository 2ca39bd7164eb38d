/** The pane that runs and debugs the text. */

import type { EditorView } from '@codemirror/view';
import type * as lsp from 'vscode-languageserver-protocol';

import {
  type ArrayAfter,
  Debuggee,
  type Outcome,
  type Scope,
  type StackFrame,
  type Stop,
  type Variable,
} from './debuggee';
import { ADD_RUN, RUN } from './commands';
import { element } from './dom';
import type { Page, Pane } from './pane';
import { breakpointsOf, onBreakpoints, showStopIn } from './stepping';
import type { SlowServer } from './transport';

/** Lines before a stop after which values are shown. */
const LINES_BEFORE = 40;
const LANES = 32;
/** Registers that the table of lanes has by itself. */
const MOST_COLUMNS = 6;
/** Elements of an array that are shown at once. */
const MOST_SHOWN = 64;

/** An entry, and the edit that adds a run if it has none. */
interface Entry {
  name: string | undefined;
  edit: lsp.TextEdit | undefined;
}

const root = element('div', undefined, 'run');
const bar = element('div', undefined, 'controls');
const state = element('p', undefined, 'note');
state.setAttribute('role', 'status');
const result = element('div');
root.append(bar, state, result);

let page: Page | undefined;
let server: SlowServer | undefined;
let session: Debuggee | undefined;
let ranText = '';
let thread = 0;
/** Registers that a person has chosen for the table of lanes. */
const pinned = new Set<string>();
let stops = 0;

function button(text: string, act: () => void, title = ''): HTMLButtonElement {
  const it = element('button', text);
  it.type = 'button';
  it.title = title;
  it.addEventListener('click', act);
  return it;
}

function say(text: string): void {
  state.textContent = text;
}

/** The buttons: those of a stop, or those that begin. */
function buttons(isStopped: boolean): void {
  const step = (command: string) => (): void => {
    void go(command);
  };
  const begin = [
    button('Run', () => void start(false), 'Runs the entry at the cursor to its end'),
    button('Debug', () => void start(true), 'Stops at the first instruction, and at breakpoints: click left of a line'),
  ];
  const end = button('Stop', finish);
  if (!session) bar.replaceChildren(...begin);
  else if (!isStopped) bar.replaceChildren(end);
  else {
    bar.replaceChildren(
      button('Continue', step('continue'), 'To the next breakpoint or finding (F8)'),
      button('Step', step('next'), 'One instruction; calls are one (F10)'),
      button('Into', step('stepIn'), 'One instruction (F11)'),
      button('Out', step('stepOut'), 'To the end of the function (Shift+F11)'),
      button('Back', step('stepBack'), 'Before the last instruction (Shift+F10)'),
      button('Reverse', step('reverseContinue'), 'Back to the breakpoint before (Shift+F8)'),
      end,
    );
  }
}

/** The entry at the cursor, or the first one. */
async function entryAt(text: string, line: number): Promise<Entry | undefined> {
  if (!page || !server) return undefined;
  const documents = { [page.uri]: text };
  const params = { textDocument: { uri: page.uri } };
  const lenses = (await server.ask<lsp.CodeLens[] | null>('textDocument/codeLens', params, documents)) ?? [];
  let found: Entry | undefined;
  for (const lens of lenses) {
    const isAfter = lens.range.start.line > line;
    if (isAfter && found) break;
    const resolved = lens.command ? lens : await server.ask<lsp.CodeLens>('codeLens/resolve', lens, {});
    const [, argument] = (resolved.command?.arguments ?? []) as [string, unknown];
    if (resolved.command?.command === RUN) found = { name: String(argument), edit: undefined };
    if (resolved.command?.command === ADD_RUN) found = { name: undefined, edit: argument as lsp.TextEdit };
  }
  return found;
}

async function start(stopsAtEntry: boolean): Promise<void> {
  if (!page) return;
  finish();
  const { uri, view } = page;
  // What the pane was given may be older than the text.
  const { doc, selection } = view.state;
  const text = doc.toString();
  const entry = await entryAt(text, doc.lineAt(selection.main.head).number - 1).catch(() => undefined);
  if (!entry) {
    say('The text has no entry function with a body.');
    return;
  }
  if (entry.edit) {
    const { edit } = entry;
    say('The entry has no // run: comment, which says with what it runs.');
    result.replaceChildren(button('Add a run', () => page?.apply({ changes: { [uri]: [edit] } })));
    return;
  }
  result.replaceChildren();
  ranText = text;
  const own = new Debuggee(text, {
    stopped: (stop) => {
      if (session === own) void stopped(stop);
    },
    ended: (outcome, printed) => {
      if (session !== own) return;
      session = undefined;
      showStopIn(view, undefined);
      buttons(false);
      if (outcome) ended(outcome, printed);
      else say('The run has ended.');
    },
    failed: (message) => {
      if (session !== own) return;
      session = undefined;
      showStopIn(view, undefined);
      buttons(false);
      say(message);
    },
  });
  session = own;
  say('Running …');
  buttons(false);
  await own.launch(entry.name, breakpointsOf(view), stopsAtEntry);
}

/** Ends the session. */
function finish(): void {
  if (!session) return;
  session.stop();
  session = undefined;
  if (page) showStopIn(page.view, undefined);
  say('The run was ended.');
  result.replaceChildren();
  buttons(false);
}

async function go(command: string): Promise<void> {
  const own = session;
  if (!own) return;
  buttons(false);
  say('Running …');
  try {
    await own.request(command, { threadId: thread });
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    buttons(true);
  }
}

/** Shows a stop: the line, values after lines, lanes and variables. */
async function stopped(stop: Stop): Promise<void> {
  const own = session;
  if (!own || !page) return;
  stops += 1;
  const number = stops;
  thread = stop.threadId;
  const { view } = page;
  const { stackFrames } = (await own.request('stackTrace', { threadId: thread })) as { stackFrames: StackFrame[] };
  const frames = stackFrames.filter((it) => it.presentationHint === undefined);
  const [frame] = frames;
  if (!frame || session !== own) {
    say(stop.description);
    buttons(true);
    return;
  }
  const scopes = ((await own.request('scopes', { frameId: frame.id })) as { scopes: Scope[] }).scopes;
  const inside = await Promise.all(scopes.map((it) => variables(own, it.variablesReference)));
  const registers = inside[scopes.findIndex((it) => it.name === 'Registers')] ?? [];
  const lanes = await lanesOf(own, frame, registers, view);
  if (session !== own || number !== stops) return;
  const byName = new Map(registers.map((it) => [it.name, it]));
  showStopIn(view, { line: frame.line, values: valuesNear(view, frame.line, byName) });
  say(stop.text ?? stop.description);
  buttons(true);
  const parts: Node[] = [where(own, frame, frames)];
  if (lanes) parts.push(lanes);
  scopes.forEach((scope, index) => {
    const all = inside[index] ?? [];
    if (all.length === 0) return;
    const details = element('details');
    details.open = scope.name === 'Registers' || scope.name === 'Parameters';
    details.append(element('summary', `${scope.name} (${all.length})`), listing(own, all, scope.name === 'Registers'));
    parts.push(details);
  });
  result.replaceChildren(...parts);
}

async function variables(own: Debuggee, variablesReference: number, more: object = {}): Promise<Variable[]> {
  const params = { variablesReference, ...more };
  return ((await own.request('variables', params)) as { variables: Variable[] }).variables;
}

/** The function and the focused lane. */
function where(own: Debuggee, frame: StackFrame, frames: StackFrame[]): HTMLElement {
  const box = element('p', undefined, 'where');
  const names = frames.map((it) => `${it.name}, line ${it.line + 1}`).join(', called by ');
  const label = element('label', 'Lane ');
  const lane = element('input');
  lane.type = 'number';
  lane.min = '0';
  lane.max = String(LANES - 1);
  lane.id = 'lane';
  lane.addEventListener('change', () => {
    void own
      .request('evaluate', { expression: `lane ${lane.value}`, frameId: frame.id })
      .then(() => stopped({ reason: 'step', description: `Lane ${lane.value}`, threadId: thread }))
      .catch((error: unknown) => say(String(error)));
  });
  void own
    .request('evaluate', { expression: '%laneid', frameId: frame.id })
    .then((it) => {
      lane.value = /^\d+/.exec((it as { result: string }).result)?.[0] ?? '';
    })
    .catch(() => undefined);
  label.append(lane);
  box.append(`${names} `, label);
  return box;
}

/** Values of the registers that lines before a stop name first, and of all on its line. */
function valuesNear(view: EditorView, at: number, registers: Map<string, Variable>): Map<number, string> {
  const shown = new Map<number, string>();
  for (let line = Math.max(0, at - LINES_BEFORE); line <= at; line += 1) {
    const code = view.state.doc.line(line + 1).text.replace(/\/\/.*/, '');
    if (!/;/.test(code) || /^\s*\./.test(code)) continue;
    const names = [...new Set(code.match(/[%\w$]+/g) ?? [])].filter((it) => registers.has(it));
    const wanted = line === at ? names : names.slice(0, 1);
    const values = wanted.flatMap((name) => {
      const value = registers.get(name)?.value ?? '';
      return value.startsWith('undefined') ? [] : [`${name} = ${value}`];
    });
    if (values.length > 0) shown.set(line, values.join('  '));
  }
  return shown;
}

/** A list of variables that opens. */
function listing(own: Debuggee, all: Variable[], arePinned = false): HTMLElement {
  const list = element('ul', undefined, 'variables');
  for (const it of all) {
    const item = element('li');
    const name = element('b', it.name);
    if (it.variablesReference > 0) {
      const details = element('details');
      const summary = element('summary');
      summary.append(name, ` ${it.value}`);
      details.append(summary);
      details.addEventListener('toggle', () => {
        if (!details.open || details.children.length > 1) return;
        void variables(own, it.variablesReference, { start: 0, count: MOST_SHOWN })
          .then((children) => details.append(listing(own, children)))
          .catch(() => undefined);
      });
      item.append(details);
    } else item.append(name, ` ${it.value}`);
    if (arePinned) {
      const pin = button(pinned.has(it.name) ? '−' : '+', () => {
        if (!pinned.delete(it.name)) pinned.add(it.name);
        void stopped({ reason: 'step', description: state.textContent, threadId: thread });
      });
      pin.className = 'link pin';
      pin.title = 'Show or hide it in the table of lanes';
      pin.ariaLabel = `${it.name} in the table of lanes`;
      item.prepend(pin);
    }
    list.append(item);
  }
  return list;
}

/** The lanes of a name of the debugger: `lanes 0-15,31`. */
function lanesIn(name: string): number[] {
  const ranges = /lanes ([\d,-]+)/.exec(name)?.[1];
  if (ranges === undefined) return Array.from({ length: LANES }, (_, lane) => lane);
  return ranges.split(',').flatMap((it) => {
    const [first = 0, last = first] = it.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  });
}

/** A table of the lanes with the registers of the line, and those that were chosen. */
async function lanesOf(
  own: Debuggee,
  frame: StackFrame,
  registers: Variable[],
  view: EditorView,
): Promise<HTMLElement | undefined> {
  const code = view.state.doc.line(Math.min(frame.line + 1, view.state.doc.lines)).text;
  const named = new Set(code.match(/[%\w$]+/g) ?? []);
  const chosen = registers
    .filter((it) => pinned.has(it.name) || (named.has(it.name) && !it.value.startsWith('undefined')))
    .slice(0, Math.max(MOST_COLUMNS, pinned.size));
  const { threads } = (await own.request('threads', {})) as { threads: { id: number; name: string }[] };
  const warp = (id: number): number => Math.floor((id - 1) / LANES);
  const groups = threads.filter((it) => warp(it.id) === warp(thread));
  const places = new Map<number, { line: number; isOwn: boolean }>();
  const mine = lanesIn(groups.find((it) => it.id === thread)?.name ?? '');
  for (const group of groups) {
    const lanes = group.id === thread ? mine : lanesIn(group.name);
    const { stackFrames } = (await own.request('stackTrace', { threadId: group.id, levels: 1 })) as {
      stackFrames: StackFrame[];
    };
    for (const lane of lanes) places.set(lane, { line: stackFrames[0]?.line ?? 0, isOwn: group.id === thread });
  }
  const columns = await Promise.all(chosen.map((it) => variables(own, it.variablesReference, { count: LANES })));
  const table = element('table', undefined, 'lanes');
  const head = element('tr');
  head.append(element('th', 'lane'), element('th', 'line'), ...chosen.map((it) => element('th', it.name)));
  table.append(head);
  for (let lane = 0; lane < LANES; lane += 1) {
    const place = places.get(lane);
    const row = element('tr', undefined, place === undefined ? 'gone' : place.isOwn ? 'own' : 'other');
    const cells = columns.map((it) => element('td', place === undefined ? '' : it[lane]?.value));
    row.append(element('th', String(lane)), element('td', place ? String(place.line + 1) : '–'), ...cells);
    table.append(row);
  }
  const details = element('details');
  const lines = new Set([...places.values()].map((it) => it.line));
  const title = lines.size > 1 ? `Lanes, at ${lines.size} lines` : 'Lanes';
  details.append(element('summary', title), table);
  details.open = true;
  return details;
}

/** Shows what became of a run. */
function ended(outcome: Outcome, printed: string): void {
  const verbs = {
    finished: 'ran to its end',
    stopped: 'was stopped: an instruction cannot be run yet',
    deadlock: 'ended in a deadlock',
    trap: 'ended in a trap',
    limit: 'reached a limit',
  };
  const count = outcome.findings.length;
  const found = count === 0 ? 'no findings' : count === 1 ? '1 finding' : `${count} findings`;
  say(`${outcome.entry} ${verbs[outcome.ended]} after ${outcome.steps} instructions of warps, ${found}.`);
  const list = element('ul', undefined, 'problems');
  const item = (severity: string, word: string, ...parts: (Node | string)[]): void => {
    const it = element('li');
    it.append(element('span', word, `severity ${severity}`), ...parts);
    list.append(it);
  };
  const line = (at: { line: number; column: number }): HTMLButtonElement => {
    const it = button(`line ${at.line + 1}`, () => page?.goTo(at.line, at.column));
    it.className = 'link';
    return it;
  };
  if (outcome.wrongLaunch !== null) item('error', 'launch', outcome.wrongLaunch);
  for (const it of outcome.findings) {
    const code = element('a', it.code, 'code');
    code.href = `../diagnostics/${it.code}.html`;
    code.target = '_blank';
    const related = it.related.flatMap((other) => [element('br'), line(other), ` ${other.message}`]);
    item(
      it.isError ? 'error' : 'warning',
      it.isError ? 'error' : 'warning',
      line(it),
      ` ${it.message} `,
      code,
      ...related,
    );
  }
  for (const it of outcome.notRun) item('warning', 'not run', line(it), ` ${it.message}`);
  for (const it of outcome.expectations) {
    const first = it.first ? `; [${it.first.index.join(', ')}] is ${it.first.got}, expected ${it.first.want}` : '';
    if (it.holds) item('good', 'holds', `${it.name} is as expected`);
    else item('error', 'differs', `${it.name}: ${it.different} of ${it.of} elements differ${first}`);
  }
  const parts: Node[] = [list];
  if (printed !== '') parts.push(element('h3', 'Output'), element('pre', printed));
  for (const it of outcome.arrays) parts.push(...arrayAfter(it));
  if (outcome.approximated.length > 0) {
    parts.push(element('p', `PTX allows several results for ${outcome.approximated.join(', ')}.`, 'note'));
  }
  result.replaceChildren(...parts);
}

/** An array as a table, as wide as its innermost dimension if that is short. */
function arrayAfter(it: ArrayAfter): Node[] {
  const shape = (it.shape ?? []).join(' × ');
  const title = element('h3', `${it.name}: ${it.type} ${shape}${it.isChanged ? '' : ', unchanged'}`);
  const inner = it.shape.at(-1) ?? 1;
  const width = inner > 1 && inner <= 16 ? inner : 8;
  const table = element('table', undefined, 'array');
  const shown = it.isChanged ? MOST_SHOWN * 4 : MOST_SHOWN;
  for (let at = 0; at < Math.min(it.values.length, shown); at += width) {
    const row = element('tr');
    row.append(element('th', String(at)), ...it.values.slice(at, at + width).map((value) => element('td', value)));
    table.append(row);
  }
  const count = it.shape.reduce((all, part) => all * part, 1);
  const parts: Node[] = [title, table];
  if (count > shown) parts.push(element('p', `The first ${Math.min(it.values.length, shown)} of ${count}.`, 'note'));
  return parts;
}

/** Keys of a stop, wherever the focus is. */
document.addEventListener('keydown', (event) => {
  if (!session || bar.children.length < 2) return;
  const back = event.shiftKey;
  const command = {
    F8: back ? 'reverseContinue' : 'continue',
    F10: back ? 'stepBack' : 'next',
    F11: back ? 'stepOut' : 'stepIn',
  }[event.key];
  if (command === undefined) return;
  event.preventDefault();
  void go(command);
});
onBreakpoints(() => {
  if (session && page) void session.breakAt(breakpointsOf(page.view)).catch(() => undefined);
});

export const runPane: Pane = {
  id: 'run',
  title: 'Run',
  content(now, slow) {
    page = now;
    server = slow;
    if (session && now.text !== ranText) {
      finish();
      say('The text has changed, so the run was ended.');
    }
    if (!bar.hasChildNodes()) {
      buttons(false);
      say('Run executes the entry at the cursor without a GPU, as its // run: comment says; Debug stops at each step.');
    }
    return [root];
  },
};

/** Begins to run or to step, as a link asks for it. */
export async function begin(isDebugged: boolean): Promise<void> {
  await start(isDebugged);
}
