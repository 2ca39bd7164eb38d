/** A table whose rows and heads can be opened. The playground of the book uses it, too. */

import type { Table, TableHead, TableRow } from '../views/messages';
import { inline } from './inline';

/** Lines of a row that are shown at once. */
const FEW = 6;

/**
 * Makes the table; `goTo` is called with the line, counted from 0, that is clicked.
 *
 * The rows in `opened` are open at first. The set follows the clicks, so that the table of the text after an edit has the same rows open.
 */
export function tableOf({ heads, rows }: Table, goTo: (line: number) => void, opened: Set<string>): HTMLElement {
  const table = document.createElement('table');
  table.className = 'matrix';
  const top = table.createTHead().insertRow();
  top.append(document.createElement('th'), ...heads.map((it) => headOf(it, opened)));
  const body = table.createTBody();
  for (const row of rows) addRow(body, row, goTo, opened, []);
  if (rows.length === 0) {
    const cell = body.insertRow().insertCell();
    cell.colSpan = heads.length + 1;
    cell.textContent = 'No target has errors.';
  }
  const box = document.createElement('div');
  box.className = 'matrix-box';
  box.append(table);
  return box;
}

/** A part that can be opened, as long as there is something in it. */
function opening(key: string, title: string, inside: Node[], opened: Set<string>): HTMLDetailsElement {
  const details = document.createElement('details');
  const summary = document.createElement('summary');
  summary.append(...inline(title));
  details.append(summary, ...inside);
  details.open = opened.has(key);
  details.addEventListener('toggle', () => {
    if (details.open) opened.add(key);
    else opened.delete(key);
  });
  return details;
}

function headOf({ text, own, below, bad, more }: TableHead, opened: Set<string>): HTMLElement {
  const head = document.createElement('th');
  head.scope = 'col';
  const list = document.createElement('ul');
  for (const line of more) {
    const item = document.createElement('li');
    item.textContent = line;
    list.append(item);
  }
  const verdict = document.createElement('div');
  verdict.className = bad ? 'bad' : 'good';
  verdict.textContent = below;
  head.append(opening(`head ${more.join()}`, text, [list], opened));
  if (own !== undefined) {
    head.classList.add('own');
    head.append(own);
  }
  head.append(verdict);
  return head;
}

function addRow(
  body: HTMLTableSectionElement,
  { text, marks, lines, parts }: TableRow,
  goTo: (line: number) => void,
  opened: Set<string>,
  outer: string[],
): void {
  const row = body.insertRow();
  const path = [...outer, text];
  const head = document.createElement('th');
  head.scope = 'row';
  row.append(head);
  for (const mark of marks) {
    const cell = row.insertCell();
    cell.className = mark ? 'bad' : 'good';
    cell.textContent = mark ? '✗' : '✓';
  }
  if (parts === undefined) {
    const links = lines.map((line) => {
      const link = document.createElement('button');
      link.className = 'link';
      link.textContent = `Line ${line + 1}`;
      link.addEventListener('click', () => goTo(line));
      return link;
    });
    const first = document.createElement('div');
    first.className = 'lines';
    first.append(...links.slice(0, FEW));
    head.append(...inline(text), first);
    if (links.length > FEW) {
      const rest = document.createElement('div');
      rest.className = 'lines';
      rest.append(...links.slice(FEW));
      head.append(opening(path.join('\n'), `${links.length - FEW} more lines`, [rest], opened));
    }
    return;
  }
  const inner: HTMLTableRowElement[] = [];
  const from = body.rows.length;
  for (const it of parts) addRow(body, it, goTo, opened, path);
  inner.push(...[...body.rows].slice(from));
  for (const it of inner) it.classList.add('part');
  const details = opening(path.join('\n'), text, [], opened);
  const show = () => {
    for (const it of inner) it.hidden = !details.open;
  };
  details.addEventListener('toggle', show);
  show();
  head.append(details);
}
