/** The script of the pages: shows what the extension says, and says what the user clicks. */

import type { Content, Cursor, FromPage, Place, Row, ToPage } from '../views/messages';
import { Canvas } from './canvas';
import { Code } from './code';
import { tableOf } from './table';

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void };

/** The least width of a wide drawing, in pixels. */
const MIN_WIDTH = 580;

const editor = acquireVsCodeApi();

window.addEventListener('message', ({ data }: MessageEvent<ToPage>) => {
  if (data.kind === 'content') show(data);
  else if (data.kind === 'more') codes[data.list]?.append(data.rows);
  else follow(data);
});
editor.postMessage({ kind: 'ready' });

let codes: Code[] = [];
/** The drawing that can be moved, with the name of what it shows. */
let canvas: { name: string; it: Canvas } | undefined;
/** The parts of the table that are open. */
const opened = new Set<string>();
/** The row that was shown last, whose places are kept when it is shown again. */
let last: string | undefined;
window.addEventListener('resize', () => codes.forEach((it) => it.draw()));

function show({ heading, note, rows, chosen, table, svg, canvas: drawn, code: lists }: Content): void {
  const { scrollX, scrollY } = window;
  const parts: Node[] = [element('h1', heading)];
  if (note !== undefined) parts.push(element('p', note, 'note'));
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
  last = chosen;
  codes = (lists ?? []).map((it) => new Code(it, (message) => editor.postMessage(message)));
  if (codes.length > 0) {
    const copy = element('button', 'Copy as Text');
    copy.addEventListener('click', () => editor.postMessage({ kind: 'copy' }));
    const beside = element('button', codes.length > 1 ? 'One Target Only' : 'Another Target Beside…');
    beside.addEventListener('click', () => editor.postMessage({ kind: 'beside' }));
    const actions = element('div', undefined, 'actions');
    actions.append(copy, beside);
    const panes = element('div', undefined, 'panes');
    panes.append(...codes.map((it) => it.element));
    parts.push(actions, panes);
  }
  document.body.classList.toggle('machine', codes.length > 0);
  document.body.classList.toggle('whole', canvas !== undefined);
  document.body.replaceChildren(...parts);
  codes.forEach((it, index) => (it.place = places[index] ?? 0));
  window.scrollTo(scrollX, scrollY);
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
  if (shape instanceof SVGSVGElement) {
    // Narrower, its words could not be read; the figure scrolls.
    shape.style.minWidth = `${Math.min(shape.viewBox.baseVal.width, MIN_WIDTH)}px`;
  }
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
