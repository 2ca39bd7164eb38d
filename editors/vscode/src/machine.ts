/** What the extension asks of the place where it runs: a machine with programs, or a browser. */

import type * as vscode from 'vscode';
import type { BaseLanguageClient, LanguageClientOptions } from 'vscode-languageclient';
import type { ServerState } from './status';

/** A server that has been found, and a client for it that is not started yet. */
export interface Found {
  client: BaseLanguageClient;
  /** The version, such as `0.1.0`. */
  version: string;
  /** The program; none in a browser. */
  path: string | undefined;
  /** Ends the server without asking it; does nothing when it has ended. */
  kill(): void;
  /** The process of a server that runs as one. */
  pid(): number | undefined;
}

/** Why there is no server, in words for the user. */
export interface Problem {
  /** `missing`: nothing was found; `setting`: the configured path is at fault; `bundled`: what is in the extension is. */
  kind: 'missing' | 'setting' | 'bundled' | 'path';
  message: string;
  /** What the system said, for the log. */
  detail: string;
}

/** Where the extension runs. */
export interface Machine {
  /** Whether commands that need programs of the machine are there. */
  readonly runsPrograms: boolean;
  /** Finds a server, or says why there is none. */
  find(options: LanguageClientOptions): Promise<Found | Problem>;
  /** Sees to what a server that has come up needs; what is returned is disposed of when it ends. */
  attend(client: BaseLanguageClient): vscode.Disposable;
  /** Registers the commands whose work needs programs. */
  register(around: Around): vscode.Disposable[];
}

/** What {@link Machine.register} may use of the extension. */
export interface Around {
  log: vscode.LogOutputChannel;
  client: () => BaseLanguageClient | undefined;
  state: () => ServerState;
  showMachineCode: () => Promise<void>;
  refreshViews: () => void;
}

/** Tells the two results of {@link Machine.find} apart. */
export function isProblem(result: object): result is Problem {
  return 'message' in result;
}
