/** The command that has the server run `ptxas` on the file in front. */

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

/** Saves nothing: the server compiles the text as it stands. Returns whether `ptxas` has been run. */
export async function runPtxas(client: LanguageClient | undefined, log: vscode.LogOutputChannel): Promise<boolean> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== 'ptx' || client?.isRunning() !== true) {
    void vscode.window.showInformationMessage('Open a PTX file to run ptxas on it, while the server runs.');
    return false;
  }
  try {
    await client.sendRequest('ptx/runPtxas', {
      textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri) },
    });
    return true;
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    log.warn(`ptxas was not run: ${words}`);
    void vscode.window.showWarningMessage(`ptxas was not run: ${words}`);
    return false;
  }
}
