/** Machine code as rows of a page, and as text. */

import type { MachineBlock, MachineCode, MachineRow } from '../protocol';
import { COLUMNS, type CodeList, type CodeRow, type Column, type Content } from './messages';

/** The widths of the columns as text, and their heads. */
const HEADS: Record<Column, [string, number]> = {
  source: ['source', 8],
  live: ['live', 4],
  stall: ['stall', 5],
  waits: ['waits for', 9],
};

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
  const { target, stale } = code;
  const source = sourceOf(code.rows);
  const rows = rowsOf(code, undefined, source);
  const columns = COLUMNS.filter((column) => rows.some((it) => it.cells[column] !== ''));
  return { target, stale, columns, rows, ...(source === undefined ? {} : { source }) };
}

/** The source file of most rows. */
export function sourceOf(rows: MachineRow[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { source } of rows) {
    if (source === null) continue;
    const name = fileOf(source);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort((one, other) => other[1] - one[1])[0]?.[0];
}

/** The file of `scale.cu:7`. */
function fileOf(source: string): string {
  return source.slice(0, source.lastIndexOf(':'));
}

/** The rows of an answer, after those that end with `before`; lines of the file `source` have no name. */
export function rowsOf(code: MachineCode, before: MachineRow | undefined, source: string | undefined): CodeRow[] {
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
    if (it.label !== null) rows.push({ address: '', cells: NO_CELLS, text: `${it.label}:`, ...routineOf(it) });
    rows.push(rowOf(it, code, source));
  }
  return rows;
}

/** The lists of a content as text, one after the other, in columns. */
export function textOf({ heading, chosen, code }: Content): string {
  const texts = (code ?? []).map(({ target, source, columns, rows }) => {
    const wide = Math.max('instruction'.length, ...rows.filter((it) => it.address !== '').map((it) => it.text.length));
    const widths = columns.map((it) =>
      Math.max(HEADS[it][1], ...(it === 'source' ? rows.map((row) => row.cells.source.length) : [])),
    );
    const line = (address: string, text: string, cells: string[]) =>
      [
        address.padStart(7),
        text.padEnd(wide),
        ...cells.map((cell, index) =>
          columns[index] === 'waits' || columns[index] === 'source'
            ? cell.padEnd(widths[index] ?? 0)
            : cell.padStart(widths[index] ?? 0),
        ),
      ].join('  ');
    const lines = rows.map(({ address, cells, text, heading, block }) =>
      heading === true || block === true
        ? `-- ${text}`
        : line(
            address,
            text,
            columns.map((it) => cells[it]),
          ),
    );
    const head = line(
      'address',
      'instruction',
      columns.map((it) => HEADS[it][0]),
    );
    const of = source === undefined ? '' : `, lines of ${source}`;
    return [`${heading}, ${chosen ?? ''} for ${target}${of}`, head, ...lines].map((it) => `${it.trimEnd()}\n`).join('');
  });
  return texts.join('\n');
}

const NO_CELLS: CodeRow['cells'] = { source: '', live: '', stall: '', waits: '' };

function headingOf(it: MachineRow, name: string): CodeRow {
  const text = `${it.ofPtxas ? 'routine of ptxas' : 'function'}: ${name}`;
  return { address: '', cells: NO_CELLS, text, heading: true, ...routineOf(it) };
}

function blockOf(it: MachineRow, { summary }: MachineBlock): CodeRow {
  return { address: '', cells: NO_CELLS, text: summary, title: OF_BLOCKS, block: true, ...routineOf(it) };
}

/** Routines of ptxas are hidden until somebody opens them. */
function routineOf({ ofPtxas, routine }: MachineRow): { routine?: string } {
  return ofPtxas && routine !== null ? { routine } : {};
}

/** The opcode of `@P0 LDG.E.128 R4, [R2]` without modifiers. */
function opcodeOf(text: string): string {
  return /^(?:@\S+\s+)?([A-Z0-9_]+)/.exec(text)?.[1] ?? '';
}

function rowOf(it: MachineRow, { peak, opcodes }: MachineCode, file: string | undefined): CodeRow {
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
    address: address(it.address),
    text: it.text,
    cells: {
      source: it.source === null ? '' : fileOf(it.source) === file ? it.source.slice(file.length) : it.source,
      live: figure(it.live),
      stall: figure(it.stall),
      waits: it.waitsFor.map(address).join(' '),
    },
    ...routineOf(it),
  };
  if (words.length > 0) row.title = words.join('\n');
  if (it.lines !== null) row.lines = it.lines;
  if (it.local) row.local = true;
  if (peak !== null && it.live === peak[0]) row.peak = true;
  return row;
}
