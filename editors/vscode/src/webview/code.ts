/** Machine code in the page: rows of equal height, of which only those are made that can be seen. */

import { colorOf, hueOf } from '../views/hue';
import type { CodeList, CodeRow, Column, FromPage } from '../views/messages';

/** Height of a row, in pixels; the style sheet says the same. */
const HEIGHT = 20;
/** Rows that are made above and below those that can be seen. */
const SPARE = 20;

/** The heads of the columns after the text, what they say, and the characters that they have room for. */
export const HEADS: Readonly<Record<Column, { name: string; title: string; width: number }>> = {
  source: { name: 'source', title: 'The line of the source that the PTX was made of.', width: 6 },
  live: {
    name: 'live',
    title: 'General registers that are live, in the code of ptxas; the most are underlined.',
    width: 4,
  },
  stall: { name: 'stall', title: 'Cycles that the next instruction of the warp waits at least.', width: 5 },
  waits: {
    name: 'waits for',
    title: 'Addresses of the instructions whose results it waits for, however long that takes.',
    width: 9,
  },
};
const OF_TEXT = `The bar has the color of the line of PTX that an instruction was made of; a click leads there.
Instructions that access local memory, such as spills, have the color of warnings.`;
/** Names of other source files have this much room, in characters. */
const WIDEST_SOURCE = 18;

/** By which column rows are sorted, and whether the largest come first. */
export interface Order {
  column: Column;
  down: boolean;
}

/** The rows for one target, in a pane that scrolls by itself. */
export class Code {
  private readonly pane = document.createElement('div');
  private readonly head = document.createElement('div');
  private readonly box = document.createElement('div');
  private readonly open = new Set<string>();
  private readonly all: CodeRow[];
  private rows: CodeRow[] = [];
  private columns: Column[] = [];
  private order: Order | undefined;
  private line = -1;
  /** The line was looked for and is not among the rows that have come. */
  private missing = false;

  constructor(
    private readonly list: CodeList,
    hidden: readonly Column[],
    private readonly say: (message: FromPage) => void,
  ) {
    this.all = [...list.rows];
    this.pane.className = 'pane';
    this.pane.classList.toggle('stale', list.stale);
    this.box.className = 'code';
    this.head.className = 'head';
    this.pane.append(this.head, this.box);
    this.pane.addEventListener('scroll', () => this.draw());
    this.arrange();
    this.hide(hidden);
  }

  get element(): HTMLElement {
    return this.pane;
  }

  /** How far it is scrolled. */
  get place(): number {
    return this.pane.scrollTop;
  }

  set place(top: number) {
    this.pane.scrollTop = top;
    this.draw();
  }

  /** Shows the columns of the list but these. */
  hide(hidden: readonly Column[]): void {
    this.columns = this.list.columns.filter((it) => !hidden.includes(it));
    this.drawHead();
    this.draw();
  }

  /** How the rows are sorted; not at all without it. */
  get sorted(): Order | undefined {
    return this.order;
  }

  set sorted(order: Order | undefined) {
    this.order = order;
    this.arrange();
    this.drawHead();
    this.draw();
  }

  /** Adds rows that have come later. */
  append(rows: CodeRow[]): void {
    this.all.push(...rows);
    this.arrange();
    if (this.missing) this.follow(this.line);
    else this.draw();
  }

  /** Makes the rows that can be seen. */
  draw(): void {
    const [top, bottom] = this.seen();
    const first = Math.max(0, top - SPARE);
    const last = Math.min(this.rows.length, bottom + SPARE);
    const rows = this.rows.slice(first, Math.max(first, last));
    this.box.replaceChildren(...rows.map((row, index) => this.make(row, first + index)));
  }

  /** Marks what was made of a line; if none of it can be seen, shows the first. */
  follow(line: number): void {
    this.line = line;
    const first = this.rows.findIndex((row) => this.isOfLine(row));
    this.missing = first === -1;
    const [top, bottom] = this.seen();
    const isSeen = this.rows.slice(top + 1, Math.max(top + 1, bottom - 1)).some((row) => this.isOfLine(row));
    if (first !== -1 && !isSeen) this.pane.scrollTop = first * HEIGHT - this.pane.clientHeight / 3;
    this.draw();
  }

  /** The first row that can be seen, and the one after the last. */
  private seen(): [number, number] {
    const top = this.pane.scrollTop;
    return [Math.floor(top / HEIGHT), Math.ceil((top + this.pane.clientHeight) / HEIGHT)];
  }

  /** Puts the rows in their order; those of closed routines are left out. */
  private arrange(): void {
    this.rows = this.all.filter((it) => it.routine === undefined || it.heading === true || this.open.has(it.routine));
    const { order } = this;
    if (order !== undefined) {
      // Headings and labels say nothing about rows in another order.
      const keyed = this.rows
        .filter((it) => it.address !== '')
        .map((row) => ({ row, key: keyOf(row.cells[order.column], order.column) }));
      keyed.sort((one, other) => {
        // What has no figure comes last in either direction.
        if (one.key === undefined || other.key === undefined)
          return Number(one.key === undefined) - Number(other.key === undefined);
        return order.down ? other.key - one.key : one.key - other.key;
      });
      this.rows = keyed.map((it) => it.row);
    }
    this.box.style.height = `${this.rows.length * HEIGHT}px`;
    const text = Math.max(12, ...this.all.filter((it) => it.address !== '').map((it) => it.text.length));
    const source = Math.max(HEADS.source.width, ...this.all.map((it) => it.cells.source.length));
    this.pane.style.setProperty('--text', `${text}ch`);
    this.pane.style.setProperty('--source', `${Math.min(source, WIDEST_SOURCE)}ch`);
  }

  /** The heads; a click on one sorts by it, and the third click on it, or one on the address, ends that. */
  private drawHead(): void {
    const width = (it: Column) => (it === 'source' ? 'var(--source)' : `${HEADS[it].width}ch`);
    // The instruction is next to its address, so that it is seen whole in the narrowest pane.
    const widths = ['5ch', 'var(--text)', ...this.columns.map(width)];
    this.pane.style.setProperty('--columns', widths.join(' '));
    const address = this.button(
      'addr',
      'Offset in the code of the entry, hexadecimal; a click puts rows in its order.',
      'none',
    );
    address.addEventListener('click', () => this.sort(undefined));
    const { target, source } = this.list;
    const text = source !== undefined && this.columns.includes('source') ? `${target}, ${source}` : target;
    const heads = this.columns.map((column) => {
      const { name, title } = HEADS[column];
      const { order } = this;
      const sorted = order?.column !== column ? 'none' : order.down ? 'descending' : 'ascending';
      const it = this.button(name, `${title} A click sorts by it.`, sorted);
      it.className = column;
      it.addEventListener('click', () => this.sort(column));
      return it;
    });
    this.head.replaceChildren(address, span(text, '', OF_TEXT), ...heads);
  }

  private button(text: string, title: string, sorted: 'none' | 'ascending' | 'descending'): HTMLButtonElement {
    const it = document.createElement('button');
    it.textContent = sorted === 'none' ? text : `${text} ${sorted === 'descending' ? '▾' : '▴'}`;
    it.title = title;
    it.ariaSort = sorted;
    return it;
  }

  /** Sorts by a column; by the one that is sorted by already in the other direction, and then no more. */
  private sort(column: Column | undefined): void {
    const { order } = this;
    // Of figures the large ones matter, of lines the small ones.
    const first = column !== 'source';
    if (column === undefined) this.order = undefined;
    else if (order?.column !== column) this.order = { column, down: first };
    else this.order = order.down === first ? { column, down: !first } : undefined;
    this.pane.scrollTop = 0;
    this.sorted = this.order;
  }

  private isOfLine({ lines }: CodeRow): boolean {
    return lines !== undefined && lines[0] <= this.line && this.line <= lines[1];
  }

  private make(row: CodeRow, index: number): HTMLElement {
    const it = document.createElement('div');
    it.className = 'instruction';
    it.style.top = `${index * HEIGHT}px`;
    // Headings and labels have no cells.
    if (row.address === '') it.classList.add('wide');
    else it.append(span(row.address));
    it.append(span(row.text));
    if (row.address !== '') for (const column of this.columns) it.append(cellOf(row, column));
    if (row.title !== undefined) it.title = row.title;
    for (const name of ['local', 'peak', 'heading', 'block'] as const) if (row[name] === true) it.classList.add(name);
    if (this.isOfLine(row)) it.classList.add('current');
    const { lines, routine } = row;
    if (lines !== undefined) {
      it.style.borderLeftColor = colorOf(hueOf(lines[0]));
      it.addEventListener('click', () => this.say({ kind: 'line', line: lines[0] }));
    } else if (row.heading === true && routine !== undefined) {
      it.addEventListener('click', () => {
        if (!this.open.delete(routine)) this.open.add(routine);
        this.arrange();
        this.draw();
      });
    }
    return it;
  }
}

/** A cell; of a long name the end with the line is seen. */
function cellOf({ cells }: CodeRow, column: Column): HTMLElement {
  const text = cells[column];
  const isCut = column === 'source' && text.length > WIDEST_SOURCE;
  return span(isCut ? `…${text.slice(1 - WIDEST_SOURCE)}` : text, column);
}

/** The number by which a cell is sorted: a figure, the line of a source, or how many others are waited for. */
function keyOf(text: string, column: Column): number | undefined {
  if (text === '') return undefined;
  if (column === 'waits') return text.split(' ').length;
  return Number(column === 'source' ? text.slice(text.lastIndexOf(':') + 1) : text);
}

function span(text: string, name = '', title?: string): HTMLElement {
  const it = document.createElement('span');
  it.className = name;
  it.textContent = text;
  if (title !== undefined) it.title = title;
  return it;
}
