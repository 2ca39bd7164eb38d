/** Machine code in the page: rows of equal height, of which only those are made that can be seen. */

import type { CodeRow, FromPage } from '../views/messages';

/** Height of a row, in pixels; the style sheet says the same. */
const HEIGHT = 20;
/** Rows that are made above and below those that can be seen. */
const SPARE = 20;
/** Between the hues of two neighbouring lines, in degrees. */
const HUES = 47;

/** The rows that are shown, and where the cursor of the editor is. */
export class Code {
  private readonly box = document.createElement('div');
  private readonly open = new Set<string>();
  private rows: CodeRow[] = [];
  private line = -1;

  constructor(
    private readonly all: CodeRow[],
    private readonly say: (message: FromPage) => void,
  ) {
    this.box.className = 'code';
    this.fold();
  }

  get element(): HTMLElement {
    return this.box;
  }

  /** Makes the rows that can be seen. */
  draw(): void {
    const top = -this.box.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(top / HEIGHT) - SPARE);
    const last = Math.min(this.rows.length, Math.ceil((top + window.innerHeight) / HEIGHT) + SPARE);
    const rows = this.rows.slice(first, Math.max(first, last));
    this.box.replaceChildren(...rows.map((row, index) => this.make(row, first + index)));
  }

  /** Marks what was made of a line, and shows the first of it. */
  follow(line: number): void {
    this.line = line;
    const index = this.rows.findIndex((row) => this.isOfLine(row));
    if (index !== -1) {
      const place = this.box.getBoundingClientRect().top + index * HEIGHT;
      if (place < 0 || place > window.innerHeight - HEIGHT) window.scrollBy(0, place - window.innerHeight / 3);
    }
    this.draw();
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
    it.append(span(row.text));
    if (row.title !== undefined) it.title = row.title;
    if (row.local === true) it.classList.add('local');
    if (row.peak === true) it.classList.add('peak');
    if (row.heading === true) it.classList.add('heading');
    if (this.isOfLine(row)) it.classList.add('current');
    const { lines, routine } = row;
    if (lines !== undefined) {
      it.style.borderLeftColor = `hsl(${(lines[0] * HUES) % 360} 60% 55%)`;
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

function span(text: string): HTMLElement {
  const it = document.createElement('span');
  it.textContent = text;
  return it;
}
