/**
 * The requests that ptx-analyzer adds to LSP, for the extension and the playground. Each has types of LSP from a package
 * of its own, which are these.
 */

/** A place in a text; both are counted from 0. */
export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

export interface Location {
  uri: string;
  range: Range;
}

export interface TextDocument {
  uri: string;
}

/** Parameters of what is asked about a place in a file. */
export interface PositionParams {
  textDocument: TextDocument;
  position: Position;
}

/** Result of `ptx/registers`: the entries of a file. */
export interface Registers {
  entries: EntryRegisters[];
}

/** How many registers an entry needs, by the estimate of the server and by `ptxas` if it has been asked. */
export interface EntryRegisters {
  name: string;
  range: Range;
  /** The name in the text. */
  selectionRange: Range;
  target: string;
  estimate: number;
  low: number;
  high: number;
  /** So many, above that range, are needed if ptxas hides latency as much as it can. */
  mayNeed: number | null;
  maxLive: number;
  /** Counted from 0. */
  peakLine: number | null;
  cap: number | null;
  /** The directive that says the cap. */
  capDirective: string | null;
  occupancy: Occupancy;
  exact: ExactRegisters | null;
  /** Where live registers are counted: `text`, or `ptxas` for the machine code that it made of this text. */
  counted: string;
  /** How many 32-bit registers are live at each line with an instruction. */
  lines: { line: number; live: number }[];
}

/** How many warps fit. */
export interface Occupancy {
  warps: number;
  of: number;
  limiter: string | null;
  threads: number;
  /** Whether the text does not say how many threads a block has. */
  threadsAssumed: boolean;
  next: { registers: number; warps: number } | null;
}

/** What `ptxas` says of an entry; sizes in bytes. */
export interface ExactRegisters {
  registers: number;
  spillStores: number;
  spillLoads: number;
  stack: number;
  shared: number;
}

/** Result of `ptx/registerChart`. */
export interface Chart {
  svg: string;
}

/** Result of `ptx/flowGraph`: the basic blocks of a function. */
export interface FlowGraph {
  function: string;
  blocks: Block[];
  edges: { from: number; to: number; kind: string; back: boolean }[];
  leftOut: number;
  /** Where live registers are counted: `text`, or `ptxas`. */
  counted: string;
  svg: string;
  mermaid: string;
}

export interface Block {
  id: number;
  range: Range;
  label: string | null;
  instructions: number;
  live: number | null;
  loopDepth: number;
  reachable: boolean;
  inFlight: string[];
}

/** Result of `ptx/liveRange`: where the value of a register is still needed. */
export interface LiveRange {
  register: string;
  type: string;
  weight: number;
  ranges: Range[];
  crossesPeak: boolean;
  /** Whether it probably takes no register of a thread. */
  free: boolean;
  definitions: Range[];
  uses: Range[];
}

/** Result of `ptx/slice`: the instructions that the value of a register comes from, and those that it reaches. */
export interface Slice {
  register: string;
  origin: Range;
  /** The register in the writes that reach it, and where these are read. */
  definitions: Range[];
  uses: Range[];
  backward: Range[];
  forward: Range[];
}

/** Part of the result of `ptx/reading`: a function as pseudocode for reading. */
export interface FunctionReading {
  function: string;
  /** Its first line: the name for people, and the parameters. */
  heading: string;
  lines: ReadingLine[];
}

/** A line of a reading. */
export interface ReadingLine {
  text: string;
  /** How many loops, conditions and the like are around it. */
  indent: number;
  /** The statements that it shows, ascending. */
  ranges: Range[];
  /** The one of these by which the line has its place. */
  lead: Range | null;
  source: ReadingSource | null;
}

/** A place in a source file. */
export interface ReadingSource {
  /** The file, if it exists. */
  uri: string | null;
  /** As the `.file` has it. */
  path: string;
  /** Counted from 0. */
  line: number;
}

/** Result of `ptx/tryStatements`. */
export interface Trial {
  /** As they run. */
  statements: string;
  inputs: TrialInput[];
  /** The reason for which the statements or one of the values cannot run. */
  problem: string | null;
  /** The results as lines of text, after a run. */
  shown: string | null;
}

/** An operand that needs a value. */
export interface TrialInput {
  name: string;
  /** Without a period. */
  type: string;
  /** Of the host language. */
  expression: string | null;
  /** A value that fits it. */
  sample: string;
  /** The reason for which the given value does not fit. */
  problem: string | null;
}

/** Result of `ptx/kernelMap`. */
export interface KernelMap {
  function: string;
  /** The name for people, with the threads of a block. */
  title: string;
  sections: KernelSection[];
  /** An `<svg>` element. */
  svg: string;
}

/** Part of the result of `ptx/kernelMap`. */
export interface KernelSection {
  title: string;
  rows: KernelRow[];
}

/** A row of a section. */
export interface KernelRow {
  text: string;
  /** How many rows of the section are around it. */
  depth: number;
  /** The statements that it is about. */
  ranges: Range[];
}

/** Part of the result of `ptx/registerAccesses`: a reference of a name. */
export interface NameAccess {
  location: Location;
  access: 'declaration' | 'read' | 'write';
  /** Whether it is about another value in the same register. */
  otherValue: boolean;
}

/** Part of a diagnostic of LSP. */
export interface Diagnostic {
  range: Range;
  message: string;
}

/** Result of `ptx/compareTargets`: a table in which targets with the same errors are one column. */
export interface TargetMatrix {
  columns: TargetColumn[];
  /** The causes of errors, grouped by the columns that have them; those of most targets first. */
  groups: TargetGroup[];
}

/** Part of the result of `ptx/compareTargets`: targets with the same errors. */
export interface TargetColumn {
  /** The targets in few words, such as `sm_80–sm_89, sm_100`. */
  title: string;
  /** The target of the file, if it is one of them. */
  own: string | null;
  targets: TargetVersion[];
  /** How many errors the file would have for each of them. */
  errors: number;
}

/** Part of the result of `ptx/compareTargets`. */
export interface TargetVersion {
  target: string;
  /** The least `.version` of a module for the target; a lower one is not among the errors. */
  version: string;
}

/** Part of the result of `ptx/compareTargets`: causes of errors for the same targets. */
export interface TargetGroup {
  /** For each column whether the targets have these errors. */
  wrong: boolean[];
  causes: TargetCause[];
}

/** Part of the result of `ptx/compareTargets`: errors that say the same. */
export interface TargetCause {
  code: string;
  /** The message, without the target that the file was judged for. */
  message: string;
  /** Where, in the order of the text. */
  ranges: Range[];
}

/** Part of the result of `ptx/words`: a word that has documentation. */
export interface Word {
  name: string;
  kind: string;
}

/** Part of the result of `ptx/explain`. */
export interface Explanation extends Word {
  /** Markdown. */
  text: string;
}

/** Result of `ptx/runPtxas`. */
export interface PtxasRun {
  /** Of `ptxas`, such as `13.5.37`. */
  release: string;
  /** The target that code was made for. */
  target: string;
  errors: number;
  warnings: number;
  entries: ({ name: string } & ExactRegisters)[];
}

/** Part of the result of `ptx/serverStatus`. */
export interface ServerStatus {
  ptxas: {
    /** `ready`, or why `ptxas` is not run: `off`, `untrusted` or `missing`. */
    state: string;
    /** The same as a sentence, when it is not run. */
    reason: string | null;
    /** The program. */
    path: string | null;
    /** Runs that are under way. */
    running: number;
  };
}

/** Result of `ptx/sameSourceLine`. */
export interface SameSourceLine {
  /** The source file, if it exists. */
  uri: string | null;
  path: string;
  /** Counted from 0. */
  line: number;
  ranges: Range[];
}

/** Result of `ptx/machineCode`. */
export interface MachineCode {
  entries: string[];
  entry: string;
  target: string;
  /** Whether the text has been edited since. */
  stale: boolean;
  total: number;
  /** The most registers that are live, and the first line from 0 where they are. */
  peak: [number, number | null] | null;
  from: number;
  /** How many of all rows access local memory. */
  local: number;
  rows: MachineRow[];
  /** The blocks that begin among these rows. */
  blocks: MachineBlock[];
  /** The documentation of the opcodes of these rows: Markdown by opcode without modifiers. */
  opcodes: Record<string, string>;
}

/** Machine instructions that are executed one after the other. */
export interface MachineBlock {
  /** The index of its first row, from 0. */
  first: number;
  count: number;
  /** What it costs, in words. */
  summary: string;
}

/** A machine instruction. */
export interface MachineRow {
  address: number;
  text: string;
  label: string | null;
  /** The first and the last line of the statement that it was made of, from 0. */
  lines: [number, number] | null;
  source: string | null;
  live: number | null;
  stall: number | null;
  waitsFor: number[];
  local: boolean;
  routine: string | null;
  ofPtxas: boolean;
}

/** Part of the result of `ptx/protocols`: instructions of a function that belong together. */
export interface FunctionProtocol {
  function: string;
  title: string;
  parts: ProtocolStep[];
}

export interface ProtocolStep {
  range: Range;
  role: string;
  /** The indices of the parts that it waits for or commits, or that do so with it; empty if all count. */
  partners: number[];
}

/** Part of the result of `ptx/diff`: a function or variable that is not the same in both files. */
export interface Difference {
  /** The new one if it has two. */
  name: string;
  /** `changed`, `added`, `removed` or another word of the command line. */
  change: string;
  old: Range | null;
  new: Range | null;
  /** Counts of instructions. */
  added: number;
  removed: number;
  moved: number;
  /** Before and after. */
  registers: [number | null, number | null];
}

/** Parameters of the notification `ptx/didReadFiles`: texts of files that are not open, for a server without files. */
export interface DidReadFiles {
  files: ReadFile[];
}

/** A file that the client has read, or that is gone. */
export interface ReadFile {
  uri: string;
  text: string | null;
}
