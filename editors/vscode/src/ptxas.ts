/** The command that has the server run `ptxas` on the file in front. */

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { PtxasRun } from './protocol';

/** How long the status bar says what came of it. */
const MESSAGE_MS = 15_000;

/** Saves nothing: the server compiles the text as it stands. Returns whether `ptxas` has been run. */
export async function runPtxas(client: LanguageClient | undefined, log: vscode.LogOutputChannel): Promise<boolean> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== 'ptx' || client?.isRunning() !== true) {
    void vscode.window.showInformationMessage('Open a PTX file to run ptxas on it, while the server runs.');
    return false;
  }
  const textDocument = { uri: client.code2ProtocolConverter.asUri(document.uri) };
  try {
    const run = await client.sendRequest<PtxasRun>('ptx/runPtxas', { textDocument });
    vscode.window.setStatusBarMessage(summary(run), MESSAGE_MS);
    return true;
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    log.warn(`ptxas was not run: ${words}`);
    void vscode.window.showWarningMessage(`ptxas was not run: ${words}`);
    return false;
  }
}

function summary({ release, target, errors, warnings, entries }: PtxasRun): string {
  const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;
  const parts = errors > 0 ? [count(errors, 'error')] : entries.map((it) => `${it.name} ${it.registers} registers`);
  if (warnings > 0) parts.push(count(warnings, 'warning'));
  const said = parts.length > 0 ? parts.join(', ') : 'no errors';
  return `ptxas ${release} for ${target}: ${said}`;
}
