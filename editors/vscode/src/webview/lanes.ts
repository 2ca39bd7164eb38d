/** The lanes of a stopped warp as a table. */

import type { FromPage, LaneTable, Lanes } from '../views/messages';

/** The hues of places in the text: lanes that have diverged differ in colour. */
const PLACES = 6;

/** Shows the lanes, or that there are none. */
export function showLanes({ table, added }: Lanes, post: (message: FromPage) => void): void {
  const note = document.createElement('p');
  note.className = 'note';
  if (table === undefined) {
    note.textContent = 'The lanes of a warp are shown while a kernel is stopped.';
    document.body.replaceChildren(note);
    return;
  }
  const { access } = table;
  if (access !== null) {
    const what = access.writes ? 'writes' : 'reads';
    note.textContent = `The next instruction ${what} ${access.bytes} bytes of shared memory per lane: ${access.summary}.`;
    note.classList.toggle('bad', access.ways > 1);
  }
  const parts: Node[] = access === null ? [] : [note];
  document.body.replaceChildren(...parts, adding(added, table.columns, post), tableOf(table, added, post));
}

function tableOf(table: LaneTable, added: string[], post: (message: FromPage) => void): HTMLElement {
  const { access, columns, lanes, focus } = table;
  const it = document.createElement('table');
  it.className = 'lanes';
  const head = it.createTHead().insertRow();
  const names = ['lane', 'line', ...(access === null ? [] : ['bank'])];
  head.append(...names.map((name) => cell('th', name)));
  for (const { name, type } of columns) {
    const column = cell('th', name);
    column.title = type;
    if (added.includes(name)) {
      const remove = document.createElement('button');
      remove.textContent = '×';
      remove.title = `Remove ${name}`;
      remove.addEventListener('click', () => post({ kind: 'remove', name }));
      column.append(' ', remove);
    }
    head.append(column);
  }
  const lines = [...new Set(lanes.map((lane) => lane.line).filter((line) => line !== null))].sort((a, b) => a - b);
  const body = it.createTBody();
  lanes.forEach(({ line, isHere }, lane) => {
    const row = body.insertRow();
    row.classList.toggle('here', isHere);
    row.classList.toggle('focus', lane === focus);
    row.classList.toggle('ended', line === null);
    const number = cell('td', '');
    const button = document.createElement('button');
    button.className = 'link';
    button.textContent = String(lane);
    button.title = `Show the values of lane ${lane}`;
    button.disabled = !isHere;
    button.addEventListener('click', () => post({ kind: 'lane', lane }));
    number.append(button);
    const place = cell('td', line === null ? 'ended' : '');
    if (line !== null) {
      const go = document.createElement('button');
      go.className = 'link';
      go.textContent = String(line);
      go.addEventListener('click', () => post({ kind: 'line', line: line - 1 }));
      place.append(go);
      // Without divergence all lanes have one line, and no colour.
      if (lines.length > 1) place.classList.add(`place-${lines.indexOf(line) % PLACES}`);
    }
    row.append(number, place);
    if (access !== null) row.append(bankOf(access.banks[lane] ?? null));
    row.append(...columns.map(({ values }) => cell('td', values[lane] ?? '')));
  });
  return it;
}

/** A field for one more column. What was added and has no values here is named. */
function adding(added: string[], columns: LaneTable['columns'], post: (message: FromPage) => void): HTMLElement {
  const field = document.createElement('input');
  field.placeholder = 'Add %r1 or f32(%r1)';
  field.ariaLabel = 'Add a register or an expression';
  field.addEventListener('change', () => post({ kind: 'add', text: field.value }));
  const it = document.createElement('div');
  it.className = 'adding';
  it.append(field);
  for (const name of added.filter((name) => columns.every((column) => column.name !== name))) {
    const remove = document.createElement('button');
    remove.className = 'bad';
    remove.textContent = `${name} ×`;
    remove.title = `${name} has no values at this stop. Remove it`;
    remove.addEventListener('click', () => post({ kind: 'remove', name }));
    it.append(' ', remove);
  }
  return it;
}

/** The bank of a lane, in a colour of its own. */
function bankOf(bank: number | null): HTMLElement {
  const it = cell('td', bank === null ? '' : String(bank));
  if (bank !== null) {
    it.className = 'bank';
    it.style.setProperty('--hue', String(Math.round((bank * 360) / 32)));
  }
  return it;
}

function cell(name: 'td' | 'th', text: string): HTMLElement {
  const it = document.createElement(name);
  it.textContent = text;
  return it;
}
