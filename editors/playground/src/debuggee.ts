/** A run of the text in a worker of its own, which speaks the Debug Adapter Protocol. */

/** The path of the text for the debugger. */
export const PATH = 'module.ptx';

/** A place of the text, lines and columns counted from 0. */
export interface Place {
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
}

/** A finding of a run. */
export interface Finding extends Place {
  code: string;
  message: string;
  isError: boolean;
  block: [number, number, number];
  warp: number;
  lanes: number[];
  related: (Place & { message: string })[];
}

/** An array after a run. */
export interface ArrayAfter {
  name: string;
  type: string;
  shape: number[];
  isChanged: boolean;
  /** The first elements. */
  values: string[];
}

/** What is said of a run when it ends. */
export interface Outcome {
  entry: string;
  ended: 'finished' | 'stopped' | 'deadlock' | 'trap' | 'limit';
  steps: number;
  findings: Finding[];
  notRun: (Place & { message: string })[];
  wrongLaunch: string | null;
  approximated: string[];
  expectations: {
    name: string;
    holds: boolean;
    different: number;
    of: number;
    first: { index: number[]; got: string; want: string } | null;
  }[];
  arrays: ArrayAfter[];
}

/** A stop. */
export interface Stop {
  reason: string;
  description: string;
  threadId: number;
  text?: string;
}

export interface StackFrame {
  id: number;
  name: string;
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
  presentationHint?: string;
}

export interface Variable {
  name: string;
  value: string;
  type: string;
  evaluateName?: string;
  variablesReference: number;
  indexedVariables?: number;
}

export interface Scope {
  name: string;
  variablesReference: number;
}

/** What the page hears of a run. */
export interface RunListener {
  stopped(stop: Stop): void;
  ended(outcome: Outcome | undefined, printed: string): void;
  failed(message: string): void;
}

interface Message {
  type: 'response' | 'event';
  request_seq?: number;
  success?: boolean;
  message?: string;
  event?: string;
  body?: unknown;
}

/** A session of the debugger. */
export class Debuggee {
  private readonly worker = new Worker(new URL('debug.js', document.baseURI), { type: 'module' });
  private readonly open = new Map<number, { resolve: (body: unknown) => void; reject: (error: Error) => void }>();
  private sequence = 0;
  private outcome: Outcome | undefined;
  private printed = '';
  private isOver = false;

  constructor(
    text: string,
    private readonly listener: RunListener,
  ) {
    this.worker.onmessage = ({ data }: MessageEvent<string>) => this.receive(JSON.parse(data) as Message);
    // A panic ends the worker, too.
    this.worker.onerror = (event) => this.fail(event.message || 'the worker cannot be loaded');
    const wasm = new URL('ptx_debugger_bg.wasm', document.baseURI).href;
    this.worker.postMessage({ path: PATH, text, wasm });
  }

  /** Launches an entry; without `stops` it runs to its end. */
  async launch(entry: string | undefined, lines: number[], stops: boolean): Promise<void> {
    try {
      await this.request('initialize', {
        linesStartAt1: false,
        columnsStartAt1: false,
        supportsOutcomeEvent: true,
      });
      await this.request('launch', {
        program: PATH,
        ...(entry === undefined ? {} : { entry }),
        stopOnEntry: stops,
        noDebug: !stops,
      });
      if (stops) await this.breakAt(lines);
      await this.request('configurationDone', {});
    } catch (error) {
      this.fail(error instanceof Error ? error.message : String(error));
    }
  }

  /** Sets the breakpoints; answers the lines at which they are. */
  async breakAt(lines: number[]): Promise<(number | undefined)[]> {
    const { breakpoints } = (await this.request('setBreakpoints', {
      source: { path: PATH },
      breakpoints: lines.map((line) => ({ line })),
    })) as { breakpoints: { verified: boolean; line?: number }[] };
    return breakpoints.map((it) => (it.verified ? it.line : undefined));
  }

  request(command: string, args: object): Promise<unknown> {
    this.sequence += 1;
    const seq = this.sequence;
    this.worker.postMessage(JSON.stringify({ seq, type: 'request', command, arguments: args }));
    return new Promise((resolve, reject) => this.open.set(seq, { resolve, reject }));
  }

  /** Ends the run, wherever it is. */
  stop(): void {
    this.isOver = true;
    this.worker.terminate();
    for (const { reject } of this.open.values()) reject(new Error('the run was ended'));
    this.open.clear();
  }

  private fail(message: string): void {
    if (this.isOver) return;
    this.stop();
    this.listener.failed(message);
  }

  private receive(message: Message): void {
    if (message.type === 'response') {
      const waiting = this.open.get(message.request_seq ?? 0);
      this.open.delete(message.request_seq ?? 0);
      if (message.success) waiting?.resolve(message.body);
      else waiting?.reject(new Error(message.message));
      return;
    }
    switch (message.event) {
      case 'stopped':
        this.listener.stopped(message.body as Stop);
        break;
      case 'output': {
        const { category, output } = message.body as { category: string; output: string };
        if (category === 'stdout') this.printed += output;
        break;
      }
      case 'ptx/outcome':
        this.outcome = message.body as Outcome;
        break;
      case 'terminated':
        if (this.isOver) break;
        this.stop();
        this.listener.ended(this.outcome, this.printed);
        break;
    }
  }
}
