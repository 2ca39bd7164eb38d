/** What a view and its page say to each other. Both sides are compiled with this file. */

/** A figure with its name, such as “registers” and “56”. */
export interface Fact {
  name: string;
  value: string;
  /** More about it, shown when one points at it. */
  title?: string;
}

/** One entry of a list: a kernel, a target. */
export interface Row {
  /** What a click on the row says; unique in its list. */
  id: string;
  title: string;
  facts: Fact[];
  /** Draws attention: there is something wrong. */
  bad?: boolean;
  /** What can be gone to below the row. */
  places?: Place[];
}

/** A line of the file with what is to be said about it. */
export interface Place {
  /** Counted from 0. */
  line: number;
  text: string;
}

/** A machine instruction, or the heading of a routine. */
export interface CodeRow {
  /** Address, live registers, stall and what it waits for, as they are shown. */
  cells: [string, string, string, string];
  text: string;
  /** The first and the last line of the statement that it was made of, counted from 0. */
  lines?: [number, number];
  /** Said when one points at it. */
  title?: string;
  /** It accesses local memory. */
  local?: boolean;
  /** More registers are live than anywhere else. */
  peak?: boolean;
  /** The routine of `ptxas` that it is in: hidden until somebody opens it. */
  routine?: string;
  /** Whether it is the heading of that. */
  heading?: boolean;
}

/** What a page shows. */
export interface Content {
  kind: 'content';
  heading: string;
  /** Said instead of the rest, or above it. */
  note?: string;
  rows: Row[];
  /** The row whose picture is shown. */
  chosen?: string;
  /** A drawing in which `data-line` leads to lines of the file. */
  svg?: string;
  /** Machine code in rows of equal height; of thousands of them only those that can be seen are made. */
  code?: CodeRow[];
}

/** What the page shows in the drawing, as the cursor of the editor moves. */
export interface Cursor {
  kind: 'cursor';
  /** Counted from 0. */
  line: number;
}

export type ToPage = Content | Cursor;

/** What the user does in a page. */
export type FromPage =
  { kind: 'ready' } | { kind: 'choose'; id: string } | { kind: 'line'; line: number } | { kind: 'copy' };
