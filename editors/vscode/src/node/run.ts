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

/** Runs the program of the running server; an error says in words why that cannot be done. */
export function runProgram(state: ServerState, args: string[]): Promise<Output> {
  if (state.kind !== 'ready' || state.path === undefined)
    return Promise.reject(new Error('The server is not running; it starts with the first PTX file.'));
  const { path } = state;
  return new Promise((resolve, reject) => {
    execFile(path, args, { maxBuffer: MAX_OUTPUT, windowsHide: true }, (error, stdout, stderr) => {
      const status = error === null ? 0 : error.code;
      if (typeof status === 'number') resolve({ status, stdout, stderr });
      else reject(error ?? new Error('The program was ended.'));
    });
  });
}

/** The objects of output with one for each line. */
export function records(stdout: string): unknown[] {
  return stdout
    .split('\n')
    .filter((it) => it.trim() !== '')
    .map((it): unknown => JSON.parse(it));
}
