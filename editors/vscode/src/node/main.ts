/** Entry point on machines that run programs. */

import * as vscode from 'vscode';
import { activateOn, deactivate, type Api } from '../extension';
import { ProgramMachine } from './server';

export function activate(context: vscode.ExtensionContext): Api {
  return activateOn(context, (log) => new ProgramMachine(context, log));
}

export { deactivate };
