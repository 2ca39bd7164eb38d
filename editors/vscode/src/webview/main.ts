/** The script of the pages: shows what the extension says, and says what the user clicks. */

import {
  COLUMNS,
  type Column,
  type Content,
  type Cursor,
  type FromPage,
  type Place,
  type Row,
  type ToPage,
} from '../views/messages';
import { Canvas } from './canvas';
import { Code, HEADS } from './code';
import { inline } from './inline';
import { showLanes } from './lanes';
import { tableOf } from './table';

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void };

/** How long the size of the panel must stay before it is told, in milliseconds. */
const SETTLED_MS = 150;
/** The gap that the browser leaves below a drawing, as below the base line of a text, in pixels. */
const LINE = 6;

const editor = acquireVsCodeApi();

window.addEventListener('message', ({ data }: MessageEvent<ToPage>) => {
  if (data.kind === 'content') show(data);
  else if (data.kind === 'lanes') showLanes(data, (message) => editor.postMessage(message));
  else if (data.kind === 'more') codes[data.list]?.append(data.rows);
  else follow(data);
});
/** What is above a drawing and below it, in pixels, before there is one. */
const AROUND = 180;
let told = '';
/** Tells how much room there is for a drawing, in pixels, when that has changed. */
function tellSize(): void {
  const { paddingLeft, paddingRight, paddingBottom } = getComputedStyle(document.body);
  const width = Math.floor(document.documentElement.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight));
  const figure = document.querySelector('body > figure');
  const top = figure === null ? AROUND : figure.getBoundingClientRect().top + window.scrollY;
  const height = Math.floor(window.innerHeight - top - parseFloat(paddingBottom) - LINE);
  const now = `${width} ${height}`;
  if (width <= 0 || now === told) return;
  told = now;
  editor.postMessage({ kind: 'size', width, height });
}
tellSize();
editor.postMessage({ kind: 'ready' });

let codes: Code[] = [];
/** The drawing that can be moved, with the name of what it shows. */
let canvas: { name: string; it: Canvas } | undefined;
/** The parts of the table that are open. */
const opened = new Set<string>();
/** The row that was shown last, whose places are kept when it is shown again. */
let last: string | undefined;
let settling: ReturnType<typeof setTimeout> | undefined;
window.addEventListener('resize', () => {
  codes.forEach((it) => it.draw());
  clearTimeout(settling);
  settling = setTimeout(tellSize, SETTLED_MS);
});

function show(content: Content): void {
  const { heading, note, actions, rows, chosen, table, svg, canvas: drawn, code: lists } = content;
  const { scrollX, scrollY } = window;
  const parts: Node[] = [element('h1', heading)];
  if (note !== undefined) {
    for (const paragraph of note.split('\n')) {
      const it = element('p', undefined, 'note');
      it.append(...inline(paragraph));
      parts.push(it);
    }
  }
  if (actions !== undefined && actions.length > 0) {
    const bar = element('div', undefined, 'choices');
    actions.forEach(({ title }, index) => {
      const button = element('button', title, 'choice');
      button.addEventListener('click', () => editor.postMessage({ kind: 'act', index }));
      bar.append(button);
    });
    parts.push(bar);
  }
  if (rows.length > 0) {
    const list = element('div', undefined, 'rows');
    list.append(...rows.map((row) => rowOf(row, row.id === chosen)));
    parts.push(list);
  }
  if (table !== undefined) parts.push(tableOf(table, goToLine, opened));
  const shape = svg === undefined ? undefined : drawing(svg);
  const before = canvas;
  canvas = undefined;
  if (shape instanceof SVGSVGElement && drawn !== undefined) {
    // The drawing keeps its place and zoom after an edit.
    canvas = { name: drawn, it: new Canvas(shape, before?.name === drawn ? before.it.at : undefined) };
    parts.push(canvas.it.element);
  } else if (shape !== undefined) {
    const figure = element('figure');
    figure.append(shape);
    parts.push(figure);
  }
  const places = chosen === last ? codes.map((it) => it.place) : [];
  const orders = codes.map((it) => it.sorted);
  last = chosen;
  const hidden = new Set(content.hidden);
  codes = (lists ?? []).map((it) => new Code(it, [...hidden], (message) => editor.postMessage(message)));
  if (codes.length > 0) {
    const copy = element('button', 'Copy as Text');
    copy.addEventListener('click', () => editor.postMessage({ kind: 'copy' }));
    const beside = element('button', codes.length > 1 ? 'One Target Only' : 'Another Target Beside…');
    beside.addEventListener('click', () => editor.postMessage({ kind: 'beside' }));
    const actions = element('div', undefined, 'actions');
    const there = COLUMNS.filter((column) => lists?.some((it) => it.columns.includes(column)));
    actions.append(copy, beside, columnsOf(there, hidden));
    const panes = element('div', undefined, 'panes');
    panes.append(...codes.map((it) => it.element));
    parts.push(actions, panes);
  }
  document.body.classList.toggle('machine', codes.length > 0);
  document.body.classList.toggle('whole', canvas !== undefined);
  document.body.replaceChildren(...parts);
  codes.forEach((it, index) => {
    it.sorted = orders[index];
    it.place = places[index] ?? 0;
  });
  window.scrollTo(scrollX, scrollY);
  // What is above the drawing has its height only now.
  tellSize();
}

/** Boxes to choose the columns of machine code. */
function columnsOf(columns: readonly Column[], hidden: Set<Column>): HTMLElement {
  const box = element('div', undefined, 'columns');
  box.append(
    ...columns.map((column) => {
      const label = element('label');
      label.title = HEADS[column].title;
      const check = element('input');
      check.type = 'checkbox';
      check.checked = !hidden.has(column);
      check.addEventListener('change', () => {
        if (check.checked) hidden.delete(column);
        else hidden.add(column);
        codes.forEach((it) => it.hide([...hidden]));
        editor.postMessage({ kind: 'hide', columns: [...hidden] });
      });
      label.append(check, HEADS[column].name);
      return label;
    }),
  );
  return box;
}

function rowOf(row: Row, chosen: boolean): HTMLElement {
  const box = element('section', undefined, 'row');
  if (chosen) box.classList.add('chosen');
  if (row.bad === true) box.classList.add('bad');
  const title = element('button', row.title, 'title');
  title.addEventListener('click', () => editor.postMessage({ kind: 'choose', id: row.id }));
  box.append(title);
  for (const { name, value, title: words } of row.facts) {
    const fact = element('span', undefined, 'fact');
    fact.append(element('b', value), ` ${name}`);
    if (words !== undefined) fact.title = words;
    box.append(fact);
  }
  if (row.places !== undefined && row.places.length > 0) {
    const list = element('ul', undefined, 'places');
    list.append(...row.places.map(placeOf));
    box.append(list);
  }
  return box;
}

function placeOf({ line, text }: Place): HTMLElement {
  const item = element('li');
  const link = element('button', `Line ${line + 1}`, 'link');
  goTo(link, line);
  item.append(link, ` ${text}`);
  return item;
}

/** The drawing, with lines that can be clicked, and reached by the keyboard. */
function drawing(svg: string): Element | string {
  const root = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
  if (root.localName !== 'svg') return 'The drawing cannot be shown.';
  const shape = document.importNode(root, true);
  for (const part of shape.querySelectorAll('[data-line]')) {
    const line = Number(part.getAttribute('data-line'));
    if (!Number.isInteger(line)) continue;
    goTo(part, line);
    part.classList.add('place');
  }
  return shape;
}

function goTo(part: Element, line: number): void {
  part.addEventListener('click', (event) => {
    // The innermost shape is meant.
    event.stopPropagation();
    goToLine(line);
  });
}

/** Goes to a line of the file, counted from 0. */
function goToLine(line: number): void {
  editor.postMessage({ kind: 'line', line });
}

/** Marks what stands for the line of the cursor, or for the last line before it. */
function follow({ line }: Cursor): void {
  codes.forEach((it) => it.follow(line));
  let best: Element | undefined;
  let bestLine = -1;
  for (const part of document.querySelectorAll('figure [data-line]')) {
    part.classList.remove('cursor');
    const its = Number(part.getAttribute('data-line'));
    // A shape for several lines ends with the last of them.
    const end = part.getAttribute('data-end');
    if (end !== null && Number(end) < line) continue;
    if (its <= line && its > bestLine) [best, bestLine] = [part, its];
  }
  best?.classList.add('cursor');
  if (best !== undefined) canvas?.it.reveal(best);
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text?: string,
  className?: string,
): HTMLElementTagNameMap[Name] {
  const it = document.createElement(name);
  if (text !== undefined) it.textContent = text;
  if (className !== undefined) it.className = className;
  return it;
}
