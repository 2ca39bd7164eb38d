/** Entry point in browsers, such as of vscode.dev. */

import type * as vscode from 'vscode';
import { activateOn, deactivate, type Api } from '../extension';
import { WorkerMachine } from './server';

export function activate(context: vscode.ExtensionContext): Api {
  return activateOn(context, (log) => new WorkerMachine(context, log));
}

export { deactivate };
