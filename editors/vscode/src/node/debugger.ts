/** The debugger: the server's program speaks the Debug Adapter Protocol, `ptx-analyzer dap`. */

import * as vscode from 'vscode';

/** The type of debug configurations, as the manifest names it. */
export const DEBUG_TYPE = 'ptx';

/** A comment that describes a run. */
const RUN = /^[ \t]*\/\/[ \t]*run:/m;
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
    if (!RUN.test(document.getText())) {
      // Its values are for the user to look at, so the kernel is not started yet.
      const chosen = await vscode.window.showInformationMessage(
        'No kernel of this file has a run, which says how it is launched.',
        ADD_RUN,
      );
      if (chosen === ADD_RUN) await vscode.commands.executeCommand('ptx-analyzer.addRun');
      return undefined;
    }
    return {
      type: DEBUG_TYPE,
      request: 'launch',
      name: 'Kernel',
      program: document.uri.fsPath,
      stopOnEntry: true,
    };
  }

  async createDebugAdapterDescriptor(): Promise<vscode.DebugAdapterDescriptor> {
    const program = await this.program();
    if (program === undefined) throw new Error('The debugger is part of ptx-analyzer, which was not found.');
    return new vscode.DebugAdapterExecutable(program, ['dap']);
  }
}

/** Debugs an entry of a file as the run above it says, from its first instruction. */
export async function debugEntry(uri: unknown, entry: unknown): Promise<void> {
  const named = typeof uri === 'string' ? vscode.Uri.parse(uri, true) : uri;
  const file = named instanceof vscode.Uri ? named : vscode.window.activeTextEditor?.document.uri;
  if (file === undefined) return;
  await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(file), {
    type: DEBUG_TYPE,
    request: 'launch',
    name: typeof entry === 'string' ? entry : 'Kernel',
    program: file.fsPath,
    ...(typeof entry === 'string' ? { entry } : {}),
    stopOnEntry: true,
  });
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
