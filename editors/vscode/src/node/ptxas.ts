/** The command that has the server run `ptxas` on the file in front. */

import * as vscode from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient';
import type { PtxasRun, ServerStatus } from '../protocol';

/** How long the status bar says what came of it. */
const MESSAGE_MS = 15_000;

const OPEN_SETTINGS = 'Open settings';
const CHOOSE = 'Choose ptxas…';
const MANAGE_TRUST = 'Manage workspace trust';
const SHOW_LOG = 'Show log';
/** What helps, by the state of `ptxas`. */
const REMEDIES: Readonly<Record<string, string[]>> = {
  off: [OPEN_SETTINGS],
  missing: [CHOOSE, OPEN_SETTINGS],
  untrusted: [MANAGE_TRUST],
};
const COMMANDS: Readonly<Record<string, string>> = {
  [OPEN_SETTINGS]: 'ptx-analyzer.openSettings',
  [CHOOSE]: 'ptx-analyzer.choosePtxas',
  [MANAGE_TRUST]: 'workbench.trust.manage',
  [SHOW_LOG]: 'ptx-analyzer.showLog',
};

/** How often and how many times the server is asked whether it knows the chosen program. */
const POLL_MS = 200;
const POLLS = 50;

/**
 * Saves nothing: the server compiles the text as it is. Returns what `ptxas` said, if it has been run. It is run on the file in front
 * unless another one is named.
 */
export async function runPtxas(
  client: BaseLanguageClient | undefined,
  log: vscode.LogOutputChannel,
  uri?: vscode.Uri,
): Promise<PtxasRun | undefined> {
  const document =
    uri === undefined
      ? vscode.window.activeTextEditor?.document
      : vscode.workspace.textDocuments.find((it) => it.uri.toString() === uri.toString());
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

/** Lets the user choose the program, and waits until the server knows it; whether there is one now. */
export async function choosePtxas(client: BaseLanguageClient | undefined): Promise<boolean> {
  const chosen = await vscode.window.showOpenDialog({
    title: 'Choose ptxas',
    openLabel: 'Choose ptxas',
    filters: process.platform === 'win32' ? { Programs: ['exe'] } : {},
  });
  const path = chosen?.[0]?.fsPath;
  if (path === undefined || client?.isRunning() !== true) return false;
  const settings = vscode.workspace.getConfiguration('ptx-analyzer');
  await settings.update('ptxas.path', path, vscode.ConfigurationTarget.Global);
  for (let poll = 0; poll < POLLS; poll += 1) {
    const status = await client.sendRequest<ServerStatus>('ptx/serverStatus').catch(() => undefined);
    if (status?.ptxas.path === path) return true;
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
  return false;
}

/** Says why there is no result, and offers what helps. */
async function explain(client: BaseLanguageClient, words: string): Promise<void> {
  const status = await client.sendRequest<ServerStatus>('ptx/serverStatus').catch(() => undefined);
  const remedy = REMEDIES[status?.ptxas.state ?? ''];
  // It was run otherwise, and the words begin with it.
  const message = remedy === undefined ? `${words}.` : `ptxas was not run: ${words}.`;
  const chosen = await vscode.window.showWarningMessage(message, ...(remedy ?? [SHOW_LOG]));
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
