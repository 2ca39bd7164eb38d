/** The debugger: the server's program speaks the Debug Adapter Protocol, `ptx-analyzer dap`. */

import * as vscode from 'vscode';

/** The type of debug configurations, as the manifest names it. */
export const DEBUG_TYPE = 'ptx';

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
  resolveDebugConfiguration(
    _folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): vscode.DebugConfiguration | undefined {
    if (configuration.type) return configuration;
    const document = vscode.window.activeTextEditor?.document;
    if (document?.languageId !== 'ptx') return configuration;
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
