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

/** A table of causes and what they concern. */
export interface Table {
  heads: TableHead[];
  rows: TableRow[];
}

/** The head of a column. */
export interface TableHead {
  text: string;
  /** Said below it if the target of the file is in the column. */
  own?: string;
  /** Said below that. */
  below: string;
  bad: boolean;
  /** Lines that are shown when somebody opens it. */
  more: string[];
}

/** A row that can be opened. */
export interface TableRow {
  text: string;
  /** For each column whether it is concerned. */
  marks: boolean[];
  /** Lines of the file, counted from 0. */
  lines: number[];
  /** Rows that are folded into this one. */
  parts?: TableRow[];
}

/** The columns of machine code after the instruction. */
export const COLUMNS = ['source', 'live', 'stall', 'waits'] as const;
export type Column = (typeof COLUMNS)[number];

/** A machine instruction, or the heading of a routine. */
export interface CodeRow {
  /** Hexadecimal; headings and labels have none. */
  address: string;
  text: string;
  /** The other columns as they are shown. The source is a line such as `:7`, with a name if it is in another file than most. */
  cells: Record<Column, string>;
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
  /** Whether it tells the figures of the block after it. */
  block?: boolean;
}

/** The machine code for one target. */
export interface CodeList {
  target: string;
  /** The source file of most rows. */
  source?: string;
  /** The columns that have something to show. */
  columns: Column[];
  /** Whether the text has been edited since. */
  stale: boolean;
  /** In their order; there may be more that have not come yet. */
  rows: CodeRow[];
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
  /** A table below the rows. */
  table?: Table;
  /** A drawing in which `data-line` leads to lines of the file. */
  svg?: string;
  /** The drawing can be zoomed and moved, and stays where it is as long as this name stays. */
  canvas?: string;
  /** Machine code for one target, or for two beside each other. */
  code?: CodeList[];
  /** The columns of machine code that the user does not want to see. */
  hidden?: Column[];
  /** What can be done about the note. */
  actions?: Action[];
}

/** A button that runs a command of the extension. */
export interface Action {
  title: string;
  command: string;
}

/** More rows of a list of the content. */
export interface More {
  kind: 'more';
  /** Index of the list. */
  list: number;
  rows: CodeRow[];
}

/** What the page shows in the drawing, as the cursor of the editor moves. */
export interface Cursor {
  kind: 'cursor';
  /** Counted from 0. */
  line: number;
}

/** The lanes of a warp that is stopped in the debugger, as the adapter answers `ptx/lanes`. */
export interface LaneTable {
  /** The lane whose values the debugger shows. */
  focus: number;
  lanes: LanePlace[];
  /** Registers with the value of each lane. */
  columns: { name: string; type: string; values: string[] }[];
  /** What the next instruction does with shared memory. */
  access: SharedAccess | null;
}

/** The place of a lane. */
export interface LanePlace {
  /** Counted from 1; a lane that has ended is nowhere. */
  line: number | null;
  /** Whether it is at the instruction that is shown. */
  isHere: boolean;
}

/** An access of shared memory by the lanes. */
export interface SharedAccess {
  /** Bytes of each lane. */
  bytes: number;
  writes: boolean;
  /** The first bank of each lane that takes part. */
  banks: (number | null)[];
  /** The largest number of words in one bank. */
  ways: number;
  /** A phrase about conflicts. */
  summary: string;
}

/** The lanes of a stop, or nothing while no kernel is stopped. */
export interface Lanes {
  kind: 'lanes';
  table: LaneTable | undefined;
  /** Registers and expressions that the user has added. */
  added: string[];
}

export type ToPage = Content | More | Cursor | Lanes;

/** What the user does in a page. */
export type FromPage =
  | { kind: 'ready' }
  | { kind: 'choose'; id: string }
  | { kind: 'line'; line: number }
  | { kind: 'copy' }
  /** The room for a drawing, in pixels: the width of the panel, and what is left of its height. */
  | { kind: 'size'; width: number; height: number }
  /** An action of the content, by its index. */
  | { kind: 'act'; index: number }
  /** The columns of machine code that are not to be shown. */
  | { kind: 'hide'; columns: Column[] }
  /** The lane whose values the debugger is to show. */
  | { kind: 'lane'; lane: number }
  /** A register or an expression of registers that is to be shown, or not any more. */
  | { kind: 'add'; text: string }
  | { kind: 'remove'; name: string }
  /** Another target is wanted beside the one that is shown, or no other one any more. */
  | { kind: 'beside' };
