/** Tasks that assemble a PTX file with `ptxas`, whose problems the matcher `$ptxas` reads. */

import * as vscode from 'vscode';
import { assembleCommand, targetOf } from './assemble';

/** A task as it is in `tasks.json`; the manifest describes the fields. */
interface Definition extends vscode.TaskDefinition {
  file: string;
  target?: string;
  output?: string;
  args?: string[];
}

export class AssembleTasks implements vscode.TaskProvider {
  static readonly TYPE = 'ptxas';

  /** One task: for the PTX file in front. */
  async provideTasks(): Promise<vscode.Task[]> {
    const document = vscode.window.activeTextEditor?.document;
    if (document?.languageId !== 'ptx' || document.uri.scheme !== 'file') return [];
    const folder = vscode.workspace.getWorkspaceFolder(document.uri);
    const file = vscode.workspace.asRelativePath(document.uri, false);
    const task = await this.make({ type: AssembleTasks.TYPE, file }, folder);
    return task === undefined ? [] : [task];
  }

  async resolveTask(task: vscode.Task): Promise<vscode.Task | undefined> {
    const folder = typeof task.scope === 'object' ? task.scope : vscode.workspace.workspaceFolders?.[0];
    return this.make(task.definition as Definition, folder);
  }

  private async make(
    definition: Definition,
    folder: vscode.WorkspaceFolder | undefined,
  ): Promise<vscode.Task | undefined> {
    if (typeof definition.file !== 'string') return undefined;
    const target = definition.target ?? (await this.ownTarget(definition.file, folder));
    const program = vscode.workspace.getConfiguration('ptx-analyzer').get<string>('ptxas.path') ?? '';
    const { command, args } = assembleCommand({ ...definition, target, program, platform: process.platform });
    const task = new vscode.Task(
      // The definition is compared with that of `tasks.json`, so nothing is added to it.
      definition,
      folder ?? vscode.TaskScope.Workspace,
      `assemble ${definition.file}`,
      'ptxas',
      new vscode.ProcessExecution(command, args, folder === undefined ? {} : { cwd: folder.uri.fsPath }),
      '$ptxas',
    );
    task.group = vscode.TaskGroup.Build;
    return task;
  }

  /** The target that the file itself names, if it can be read. */
  private async ownTarget(file: string, folder: vscode.WorkspaceFolder | undefined): Promise<string | undefined> {
    if (file.includes('${')) return undefined;
    const uri = folder === undefined ? vscode.Uri.file(file) : vscode.Uri.joinPath(folder.uri, file);
    try {
      return targetOf(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
    } catch {
      return undefined; // ptxas will say what is the matter with the file.
    }
  }
}
