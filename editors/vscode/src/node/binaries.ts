/** “Extract PTX”: lists the PTX texts of executables, libraries and objects, and opens one, read-only. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { choicesOf, type Image } from './images';
import { records, runProgram } from './run';
import type { ServerState } from '../status';

export class Binaries {
  /** Folders with extracted texts; they go with the editor. */
  private readonly folders: string[] = [];

  constructor(private readonly state: () => ServerState) {}

  /** Asks which text of a binary is wanted, and opens it; without a binary asks for that, too. */
  async extract(uri?: vscode.Uri): Promise<vscode.Uri | undefined> {
    const file =
      uri ?? (await vscode.window.showOpenDialog({ title: 'Extract PTX of a Binary', canSelectMany: false }))?.[0];
    if (file === undefined) return undefined;
    try {
      const path = await this.choose(file.fsPath);
      return path === undefined ? undefined : await openReadOnly(path);
    } catch (error) {
      void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  dispose(): void {
    for (const folder of this.folders) void rm(folder, { recursive: true, force: true });
  }

  private async choose(file: string): Promise<string | undefined> {
    const folder = await mkdtemp(join(tmpdir(), 'ptx-analyzer-'));
    this.folders.push(folder);
    const args = ['extract', '--list', '--format', 'json', '--output-dir', folder, file];
    const { stdout, stderr } = await runProgram(this.state(), args);
    const choices = choicesOf(records(stdout) as Image[]);
    if (choices.length === 0) throw new Error(stderr.trim() || `${basename(file)} carries no PTX.`);
    if (choices.length === 1) return choices[0]?.path;
    const title = `PTX of ${basename(file)}`;
    const choice = await vscode.window.showQuickPick(choices, { title, matchOnDescription: true });
    return choice?.path;
  }
}

async function openReadOnly(path: string): Promise<vscode.Uri> {
  const uri = vscode.Uri.file(path);
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false });
  await vscode.commands.executeCommand('workbench.action.files.setActiveEditorReadonlyInSession');
  return uri;
}
