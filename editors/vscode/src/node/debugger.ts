/** The debugger: the server's program speaks the Debug Adapter Protocol, `ptx-analyzer dap`. */

import * as vscode from 'vscode';
import { runsOf } from './findings';

/** The type of debug configurations, as the manifest names it. */
export const DEBUG_TYPE = 'ptx';

const ADD_RUN = 'Add a Run';

export class Debugger implements vscode.DebugConfigurationProvider, vscode.DebugAdapterDescriptorFactory {
  /** @param program The path of the server's program; none where it was not found. */
  constructor(private readonly program: () => Promise<string | undefined>) {}

  register(): vscode.Disposable[] {
    return [
      vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, this),
      vscode.debug.registerDebugAdapterDescriptorFactory(DEBUG_TYPE, this),
    ];
  }

  /** What F5 does without `launch.json`: the file in front, by the run above its entry. */
  async resolveDebugConfiguration(
    _folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    if (configuration.type) return configuration;
    const document = vscode.window.activeTextEditor?.document;
    if (document?.languageId !== 'ptx') return configuration;
    return (await hasRun(document)) ? launchOf(document.uri) : undefined;
  }

  async createDebugAdapterDescriptor(): Promise<vscode.DebugAdapterDescriptor> {
    const program = await this.program();
    if (program === undefined) throw new Error('The debugger is part of ptx-analyzer, which was not found.');
    return new vscode.DebugAdapterExecutable(program, ['dap']);
  }
}

/** The configuration that stops an entry of a file, or its only one, at the first instruction. */
function launchOf(file: vscode.Uri, entry?: string): vscode.DebugConfiguration {
  return {
    type: DEBUG_TYPE,
    request: 'launch',
    name: entry ?? 'Kernel',
    program: file.fsPath,
    ...(entry === undefined ? {} : { entry }),
    stopOnEntry: true,
  };
}

/** Whether a file has a run; without one, the user can add it and review its values before the next start. */
async function hasRun(document: vscode.TextDocument): Promise<boolean> {
  if (runsOf(document.getText()).length > 0) return true;
  const message = 'No kernel of this file has a run, which says how it is launched.';
  const chosen = await vscode.window.showInformationMessage(message, ADD_RUN);
  if (chosen === ADD_RUN) await vscode.commands.executeCommand('ptx-analyzer.addRun');
  return false;
}

/** Debugs an entry of a file as the run above it says: the arguments of a code lens; without them, the file in front. */
export async function debugEntry(uri: unknown, entry: unknown): Promise<void> {
  const named = typeof uri === 'string' ? vscode.Uri.parse(uri, true) : uri;
  const file = named instanceof vscode.Uri ? named : vscode.window.activeTextEditor?.document.uri;
  if (file === undefined || !(await hasRun(await vscode.workspace.openTextDocument(file)))) return;
  const launch = launchOf(file, typeof entry === 'string' ? entry : undefined);
  await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(file), launch);
}

/** The session and the thread that the editor shows, if a kernel is debugged and stopped. */
function focus(): { session: vscode.DebugSession; threadId: number; frameId: number | undefined } | undefined {
  const item = vscode.debug.activeStackItem;
  if (item?.session.type !== DEBUG_TYPE) {
    void vscode.window.showInformationMessage('No kernel is stopped in the debugger.');
    return undefined;
  }
  return {
    session: item.session,
    threadId: item.threadId,
    frameId: item instanceof vscode.DebugStackFrame ? item.frameId : undefined,
  };
}

/** Runs until the lanes are at an instruction that waits for other warps. */
export async function continueToBarrier(): Promise<void> {
  const at = focus();
  await at?.session.customRequest('ptx/continueToBarrier', { threadId: at.threadId });
}

/** Runs until the lanes are at another line of the source that `.loc` names. */
export async function stepSourceLine(): Promise<void> {
  const at = focus();
  await at?.session.customRequest('next', { threadId: at.threadId, granularity: 'line' });
}

/** Shows the values of a lane: the one that is given, or the one that is typed. */
export async function focusLane(given: unknown): Promise<void> {
  const at = focus();
  if (!at) return;
  const lane =
    typeof given === 'number'
      ? String(given)
      : await vscode.window.showInputBox({
          title: 'Focus Lane',
          prompt: 'The lane whose values are shown, 0 to 31',
          validateInput: (text) => (/^([12]?\d|3[01])$/.test(text.trim()) ? undefined : 'Lanes are 0 to 31.'),
        });
  if (lane === undefined) return;
  try {
    await at.session.customRequest('evaluate', { expression: `lane ${lane.trim()}`, frameId: at.frameId });
  } catch (error) {
    void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
  }
}
