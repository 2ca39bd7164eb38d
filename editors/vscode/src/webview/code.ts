/** Machine code in the page: rows of equal height, of which only those are made that can be seen. */

import { colorOf, hueOf } from '../views/hue';
import type { CodeList, CodeRow, FromPage } from '../views/messages';

/** Height of a row, in pixels; the style sheet says the same. */
const HEIGHT = 20;
/** Rows that are made above and below those that can be seen. */
const SPARE = 20;

/** The columns before the text, and what they say. */
const COLUMNS = [
  ['addr', 'Offset in the code of the entry, hexadecimal.'],
  ['live', 'General registers that are live; the most are underlined.'],
  ['stall', 'Cycles that the next instruction of the warp waits at least.'],
  ['waits for', 'Addresses of the instructions whose results it waits for, however long that takes.'],
] as const;
const OF_TEXT = `The bar has the color of the line of PTX that an instruction was made of; a click leads there.
Instructions that access local memory, such as spills, have the color of warnings.`;

/** The rows for one target, in a pane that scrolls by itself. */
export class Code {
  private readonly pane = document.createElement('div');
  private readonly box = document.createElement('div');
  private readonly open = new Set<string>();
  private readonly all: CodeRow[];
  private rows: CodeRow[] = [];
  private line = -1;
  /** The line was looked for and is not among the rows that have come. */
  private missing = false;

  constructor(
    list: CodeList,
    private readonly say: (message: FromPage) => void,
  ) {
    this.all = [...list.rows];
    this.pane.className = 'pane';
    this.pane.classList.toggle('sources', list.hasSource);
    this.pane.classList.toggle('stale', list.stale);
    this.box.className = 'code';
    const head = document.createElement('div');
    head.className = 'head';
    head.append(...COLUMNS.map(([name, title]) => span(name, '', title)));
    if (list.hasSource) head.append(span('source', 'source', 'The line of the source that the PTX was made of.'));
    head.append(span(list.target, '', OF_TEXT));
    this.pane.append(head, this.box);
    this.pane.addEventListener('scroll', () => this.draw());
    this.fold();
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

  /** Adds rows that have come later. */
  append(rows: CodeRow[]): void {
    this.all.push(...rows);
    this.fold();
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

  private fold(): void {
    this.rows = this.all.filter((it) => it.routine === undefined || it.heading === true || this.open.has(it.routine));
    this.box.style.height = `${this.rows.length * HEIGHT}px`;
  }

  private isOfLine({ lines }: CodeRow): boolean {
    return lines !== undefined && lines[0] <= this.line && this.line <= lines[1];
  }

  private make(row: CodeRow, index: number): HTMLElement {
    const it = document.createElement('div');
    it.className = 'instruction';
    it.style.top = `${index * HEIGHT}px`;
    for (const cell of row.cells) it.append(span(cell));
    if (this.pane.classList.contains('sources')) it.append(span(row.source ?? '', 'source'));
    it.append(span(row.text));
    if (row.title !== undefined) it.title = row.title;
    for (const name of ['local', 'peak', 'heading', 'block'] as const) if (row[name] === true) it.classList.add(name);
    // Headings and labels have no cells.
    if (row.cells[0] === '') it.classList.add('wide');
    if (this.isOfLine(row)) it.classList.add('current');
    const { lines, routine } = row;
    if (lines !== undefined) {
      it.style.borderLeftColor = colorOf(hueOf(lines[0]));
      it.addEventListener('click', () => this.say({ kind: 'line', line: lines[0] }));
    } else if (row.heading === true && routine !== undefined) {
      it.addEventListener('click', () => {
        if (!this.open.delete(routine)) this.open.add(routine);
        this.fold();
        this.draw();
      });
    }
    return it;
  }
}

function span(text: string, name = '', title?: string): HTMLElement {
  const it = document.createElement('span');
  it.className = name;
  it.textContent = text;
  if (title !== undefined) it.title = title;
  return it;
}
