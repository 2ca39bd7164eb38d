/** What `ptx-analyzer diff --format json` prints, and what is marked of it. */

type Lines = [number, number];

/** A function, as `ptx-analyzer diff --format json` prints it; lines count from 1. */
export interface FunctionChange {
  function: string;
  change: string;
  old_line?: number;
  line?: number;
  added: Lines[];
  removed: Lines[];
  moved: { old: Lines; new: Lines }[];
  rewired: { old: string; new: string; uses: number; old_line: number; line: number }[];
}

/** What is marked in one of the two texts. */
export interface Side {
  changed: Mark[];
  moved: Mark[];
  rewired: Mark[];
}

/** Lines that are marked. */
export interface Mark {
  /** First and last line, from 0. */
  lines: Lines;
  /** The text of the tooltip. */
  text: string;
}

/** What to mark in the old and in the new text. */
export function sidesOf(changes: FunctionChange[]): { old: Side; new: Side } {
  const side = (): Side => ({ changed: [], moved: [], rewired: [] });
  const [old, fresh] = [side(), side()];
  const place = (lines: Lines, text: string): Mark => ({ lines: [lines[0] - 1, lines[1] - 1], text });
  for (const it of changes) {
    for (const lines of it.removed) old.changed.push(place(lines, ''));
    for (const lines of it.added) fresh.changed.push(place(lines, ''));
    for (const { old: from, new: to } of it.moved) {
      old.moved.push(place(from, `moved to line ${to[0]}`));
      fresh.moved.push(place(to, `moved from line ${from[0]}`));
    }
    for (const { old: was, new: is, uses, old_line: from, line: to } of it.rewired) {
      const text = was === is ? `\`${was}\` is at another place` : `\`${was}\` is now \`${is}\``;
      const count = uses === 1 ? text : `${text} (${uses} uses)`;
      old.rewired.push(place([from, from], count));
      fresh.rewired.push(place([to, to], count));
    }
    if (it.change === 'added' && it.line !== undefined) fresh.changed.push(place([it.line, it.line], 'new function'));
    if (it.change === 'removed' && it.old_line !== undefined) {
      old.changed.push(place([it.old_line, it.old_line], 'function that is gone'));
    }
  }
  return { old, new: fresh };
}

/** “1 function changed, 7 same”. */
export function summaryOf(changes: FunctionChange[]): string {
  const count = (kind: string) => changes.filter((it) => it.change === kind).length;
  const parts = ['changed', 'added', 'removed', 'renamed', 'same'].map((kind) => ({ kind, count: count(kind) }));
  const told = parts.filter((it) => it.count > 0).map((it) => `${it.count} ${it.kind}`);
  if (changes.every((it) => it.change === 'same')) return 'The two files are the same, apart from names.';
  return `Functions: ${told.join(', ')}`;
}
