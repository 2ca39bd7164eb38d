/** Runs the server program once, for work that is not about open documents. */

import { execFile } from 'node:child_process';
import type { ServerState } from '../status';

/** What a run printed. */
export interface Output {
  /** The exit status. */
  status: number;
  stdout: string;
  stderr: string;
}

/** More output than this is cut, in bytes. */
const MAX_OUTPUT = 64 * 1024 * 1024;

/** What a run may be given. */
export interface Input {
  /** Standard input. */
  text?: string;
  /** The folder in which it runs. */
  cwd?: string | undefined;
  /** Ends it. */
  signal?: AbortSignal;
}

/** Runs the program of the running server; an error says in words why that cannot be done. */
export function runProgram(state: ServerState, args: string[], input: Input = {}): Promise<Output> {
  if (state.kind !== 'ready' || state.path === undefined)
    return Promise.reject(new Error('The server is not running; it starts with the first PTX file.'));
  const { path } = state;
  return new Promise((resolve, reject) => {
    const { text, cwd, signal } = input;
    const options = { maxBuffer: MAX_OUTPUT, windowsHide: true, cwd, signal };
    const child = execFile(path, args, options, (error, stdout, stderr) => {
      const status = error === null ? 0 : error.code;
      if (typeof status === 'number') resolve({ status, stdout, stderr });
      else reject(error ?? new Error('The program was ended.'));
    });
    if (text === undefined) return;
    // A program that ends early reads no more of it.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(text);
  });
}

/** The objects of output with one for each line. */
export function records(stdout: string): unknown[] {
  return stdout
    .split('\n')
    .filter((it) => it.trim() !== '')
    .map((it): unknown => JSON.parse(it));
}
