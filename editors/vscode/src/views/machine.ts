/** The machine code panel: what `ptxas` made of the kernel at the cursor, a row for each instruction. */

import type { LanguageClient } from 'vscode-languageclient/node';
import type { MachineCode, MachineRow } from '../protocol';
import type { Subject, ViewKind } from './liveView';
import type { CodeRow, Content } from './messages';

/** Makes the view; a function, for it remembers what it shows. */
export function machineView(): ViewKind {
  let shown: { uri: string; version: number; lines: [number, number] } | undefined;
  return {
    type: 'ptx-analyzer.machineCode',
    title: 'Machine Code',
    stays({ document, position }: Subject) {
      if (shown?.uri !== document.uri.toString() || shown.version !== document.version) return false;
      return shown.lines[0] <= position.line && position.line <= shown.lines[1];
    },
    async content(client: LanguageClient, { document, position, chosen }: Subject, token) {
      const { version } = document;
      const params = {
        textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri) },
        line: position.line,
        ...(chosen === undefined ? {} : { entry: chosen }),
      };
      const code = await client.sendRequest<MachineCode | null>('ptx/machineCode', params, token);
      const heading = `Machine Code: ${document.uri.path.split('/').pop() ?? ''}`;
      shown = undefined;
      if (code === null) {
        const note = 'There is no machine code yet: save the file, or use “ptx-analyzer: Run ptxas Now”.';
        return { kind: 'content', heading, note, rows: [] };
      }
      shown = { uri: document.uri.toString(), version, lines: linesOf(code.rows) };
      return contentOf(code, heading);
    },
  };
}

/** The lines between which the statements of an entry are. */
function linesOf(rows: MachineRow[]): [number, number] {
  let [first, last] = [Number.MAX_SAFE_INTEGER, -1];
  for (const { lines, routine } of rows) {
    // Functions that the entry calls are elsewhere.
    if (lines === null || routine !== null) continue;
    first = Math.min(first, lines[0]);
    last = Math.max(last, lines[1]);
  }
  return [first, last];
}

/** What the page shows of an answer. */
export function contentOf(code: MachineCode, heading: string): Content {
  const content: Content = {
    kind: 'content',
    heading,
    rows: code.entries.map((name) => ({ id: name, title: name, facts: [] })),
    chosen: code.entry,
    code: rowsOf(code),
  };
  const row = content.rows.find((it) => it.id === code.entry);
  row?.facts.push({ name: 'instructions', value: String(code.total) }, { name: '', value: code.target });
  const local = code.rows.filter((it) => it.local).length;
  if (row !== undefined && local > 0) {
    row.facts.push({ name: 'access local memory', value: String(local), title: 'Spilled registers, or arrays.' });
    row.bad = true;
  }
  if (row !== undefined && code.peak !== null) {
    const [most, line] = code.peak;
    row.facts.push({ name: 'registers live at most', value: String(most) });
    if (line !== null) row.places = [{ line, text: 'is the first line where they are' }];
  }
  if (code.stale) content.note = 'The text has been edited since; this is the code of the text that was compiled.';
  return content;
}

function rowsOf(code: MachineCode): CodeRow[] {
  const rows: CodeRow[] = [];
  let routine: string | null = null;
  for (const it of code.rows) {
    if (it.routine !== routine) {
      ({ routine } = it);
      if (routine !== null) rows.push(headingOf(it, routine));
    }
    if (it.label !== null) rows.push({ cells: ['', '', '', ''], text: `${it.label}:`, ...routineOf(it) });
    rows.push(rowOf(it, code));
  }
  return rows;
}

function headingOf(it: MachineRow, name: string): CodeRow {
  const text = `${it.ofPtxas ? 'routine of ptxas' : 'function'}: ${name}`;
  return { cells: ['', '', '', ''], text, heading: true, ...routineOf(it) };
}

/** Routines of ptxas are hidden until somebody opens them. */
function routineOf({ ofPtxas, routine }: MachineRow): { routine?: string } {
  return ofPtxas && routine !== null ? { routine } : {};
}

/** The opcode of `@P0 LDG.E.128 R4, [R2]` without modifiers. */
function opcodeOf(text: string): string {
  return /^(?:@\S+\s+)?([A-Z0-9_]+)/.exec(text)?.[1] ?? '';
}

function rowOf(it: MachineRow, { peak, opcodes }: MachineCode): CodeRow {
  const address = (of: number) => of.toString(16).padStart(4, '0');
  const figure = (of: number | null) => (of === null ? '' : String(of));
  const words: string[] = [];
  const page = opcodes[opcodeOf(it.text)];
  // A tooltip shows no Markdown.
  if (page !== undefined) words.push(page.replaceAll('`', ''));
  if (it.stall !== null) words.push(`The next instruction waits at least ${it.stall} cycles.`);
  if (it.waitsFor.length > 0) words.push(`Waits for the instruction at ${it.waitsFor.map(address).join(', ')}.`);
  if (it.local) words.push('Accesses local memory: a spilled register, or an array.');
  if (it.source !== null) words.push(`Made of ${it.source}.`);
  const row: CodeRow = {
    cells: [address(it.address), figure(it.live), figure(it.stall), it.waitsFor.map(address).join(' ')],
    text: it.text,
    ...routineOf(it),
  };
  if (words.length > 0) row.title = words.join('\n');
  if (it.lines !== null) row.lines = it.lines;
  if (it.local) row.local = true;
  if (peak !== null && it.live === peak[0]) row.peak = true;
  return row;
}
