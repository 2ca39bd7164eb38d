/** The command that has the server run `ptxas` on the file in front. */

import * as vscode from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient';
import type { PtxasRun, ServerStatus } from '../protocol';

/** How long the status bar says what came of it. */
const MESSAGE_MS = 15_000;

const OPEN_SETTINGS = 'Open settings';
const MANAGE_TRUST = 'Manage workspace trust';
const SHOW_LOG = 'Show log';
/** What helps, by the state of `ptxas`. */
const REMEDIES: Readonly<Record<string, string>> = {
  off: OPEN_SETTINGS,
  missing: OPEN_SETTINGS,
  untrusted: MANAGE_TRUST,
};
const COMMANDS: Readonly<Record<string, string>> = {
  [OPEN_SETTINGS]: 'ptx-analyzer.openSettings',
  [MANAGE_TRUST]: 'workbench.trust.manage',
  [SHOW_LOG]: 'ptx-analyzer.showLog',
};

/** Saves nothing: the server compiles the text as it is. Returns what `ptxas` said, if it has been run. */
export async function runPtxas(
  client: BaseLanguageClient | undefined,
  log: vscode.LogOutputChannel,
): Promise<PtxasRun | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== 'ptx' || client?.isRunning() !== true) {
    void vscode.window.showInformationMessage('Open a PTX file to run ptxas on it, while the server runs.');
    return undefined;
  }
  const textDocument = { uri: client.code2ProtocolConverter.asUri(document.uri) };
  try {
    const run = await client.sendRequest<PtxasRun>('ptx/runPtxas', { textDocument });
    vscode.window.setStatusBarMessage(summary(run), MESSAGE_MS);
    return run;
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    log.warn(`There is no result of ptxas: ${words}`);
    void explain(client, words);
    return undefined;
  }
}

/** Says why there is no result, and offers what helps. */
async function explain(client: BaseLanguageClient, words: string): Promise<void> {
  const status = await client.sendRequest<ServerStatus>('ptx/serverStatus').catch(() => undefined);
  const remedy = REMEDIES[status?.ptxas.state ?? ''];
  // It was run otherwise, and the words begin with it.
  const message = remedy === undefined ? `${words}.` : `ptxas was not run: ${words}.`;
  const chosen = await vscode.window.showWarningMessage(message, remedy ?? SHOW_LOG);
  const command = COMMANDS[chosen ?? ''];
  if (command !== undefined) await vscode.commands.executeCommand(command);
}

function summary({ release, target, errors, warnings, entries }: PtxasRun): string {
  const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;
  const parts = errors > 0 ? [count(errors, 'error')] : entries.map((it) => `${it.name} ${it.registers} registers`);
  if (warnings > 0) parts.push(count(warnings, 'warning'));
  const said = parts.length > 0 ? parts.join(', ') : 'no errors';
  return `ptxas ${release} for ${target}: ${said}`;
}
