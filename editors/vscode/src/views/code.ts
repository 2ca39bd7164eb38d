/** Machine code as rows of a page, and as text. */

import type { MachineBlock, MachineCode, MachineRow } from '../protocol';
import type { CodeList, CodeRow, Content } from './messages';

const OF_BLOCKS = `The stalls are what a warp needs at least to issue the block; what it waits for comes on top.
Bytes are those of a thread that no guard stops.`;

/** What the page shows of an answer. */
export function contentOf(code: MachineCode, heading: string): Content {
  const content: Content = {
    kind: 'content',
    heading,
    rows: code.entries.map((name) => ({ id: name, title: name, facts: [] })),
    chosen: code.entry,
    code: [listOf(code)],
  };
  const row = content.rows.find((it) => it.id === code.entry);
  row?.facts.push({ name: 'instructions', value: String(code.total) }, { name: '', value: code.target });
  if (row !== undefined && code.local > 0) {
    const title = 'Spilled registers, or arrays.';
    row.facts.push({ name: 'access local memory', value: String(code.local), title });
    row.bad = true;
  }
  if (row !== undefined && code.peak !== null) {
    const [most, line] = code.peak;
    row.facts.push({ name: 'registers live at most', value: String(most) });
    if (line !== null) row.places = [{ line, text: 'is where most are live' }];
  }
  if (code.stale) content.note = 'The text has been edited since; this is the code of the text that was compiled.';
  return content;
}

/** The list of an answer that begins with the first row. */
export function listOf(code: MachineCode): CodeList {
  const { target, stale, rows } = code;
  return { target, stale, hasSource: rows.some((it) => it.source !== null), rows: rowsOf(code, undefined) };
}

/** The rows of an answer, after those that end with `before`. */
export function rowsOf(code: MachineCode, before: MachineRow | undefined): CodeRow[] {
  const rows: CodeRow[] = [];
  const blocks = new Map(code.blocks.map((it) => [it.first, it]));
  let routine = before?.routine ?? null;
  for (const [index, it] of code.rows.entries()) {
    if (it.routine !== routine) {
      ({ routine } = it);
      if (routine !== null) rows.push(headingOf(it, routine));
    }
    const block = blocks.get(code.from + index);
    if (block !== undefined) rows.push(blockOf(it, block));
    if (it.label !== null) rows.push({ cells: ['', '', '', ''], text: `${it.label}:`, ...routineOf(it) });
    rows.push(rowOf(it, code));
  }
  return rows;
}

/** The lists of a content as text, one after the other, in columns. */
export function textOf({ heading, chosen, code }: Content): string {
  const texts = (code ?? []).map(({ target, hasSource, rows }) => {
    const width = hasSource ? Math.max(6, ...rows.map((it) => it.source?.length ?? 0)) : 0;
    const row = ([address, live, stall, waits]: CodeRow['cells'], source: string, text: string) =>
      [
        address.padStart(7),
        live.padStart(4),
        stall.padStart(5),
        waits.padEnd(14),
        ...(hasSource ? [source.padEnd(width)] : []),
        text,
      ].join('  ');
    const lines = rows.map(({ cells, source, text, heading, block }) =>
      heading === true || block === true ? `-- ${text}` : row(cells, source ?? '', text),
    );
    const head = row(['address', 'live', 'stall', 'waits for'], 'source', 'instruction');
    return [`${heading}, ${chosen ?? ''} for ${target}`, head, ...lines].map((it) => `${it.trimEnd()}\n`).join('');
  });
  return texts.join('\n');
}

function headingOf(it: MachineRow, name: string): CodeRow {
  const text = `${it.ofPtxas ? 'routine of ptxas' : 'function'}: ${name}`;
  return { cells: ['', '', '', ''], text, heading: true, ...routineOf(it) };
}

function blockOf(it: MachineRow, { summary }: MachineBlock): CodeRow {
  return { cells: ['', '', '', ''], text: summary, title: OF_BLOCKS, block: true, ...routineOf(it) };
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
  if (it.source !== null) row.source = it.source;
  if (it.lines !== null) row.lines = it.lines;
  if (it.local) row.local = true;
  if (peak !== null && it.live === peak[0]) row.peak = true;
  return row;
}
