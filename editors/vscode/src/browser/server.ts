/** The server as WebAssembly in a worker. It has no files and runs no programs. */

import * as vscode from 'vscode';
import { LanguageClient, type BaseLanguageClient, type LanguageClientOptions } from 'vscode-languageclient/browser';
import { SECTION } from '../controller';
import type { Found, Machine, Problem } from '../machine';
import { WorkspaceFiles } from './files';

/** Commands whose work needs programs, with what needs them. */
const ELSEWHERE = {
  'ptx-analyzer.run': 'Kernels are run by a program of a machine',
  'ptx-analyzer.addRun': 'Kernels are run by a program of a machine',
  'ptx-analyzer.continueToBarrier': 'The debugger is a program of a machine',
  'ptx-analyzer.stepSourceLine': 'The debugger is a program of a machine',
  'ptx-analyzer.debug': 'The debugger is a program of a machine',
  'ptx-analyzer.addToLanes': 'The debugger is a program of a machine',
  'ptx-analyzer.focusLane': 'The debugger is a program of a machine',
  'ptx-analyzer.runPtxas': 'ptxas is a program of a machine',
  'ptx-analyzer.choosePtxas': 'ptxas is a program of a machine',
  'ptx-analyzer.showMachineCode': 'Machine code is made by ptxas, a program of a machine',
  'ptx-analyzer.extractPtx': 'PTX is taken out of binaries by a program of a machine',
  'ptx-analyzer.compareWith': 'Builds are compared by a program of a machine',
} as const;

export class WorkerMachine implements Machine {
  readonly runsPrograms = false;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  async find(options: LanguageClientOptions): Promise<Found | Problem> {
    const file = (name: string) => vscode.Uri.joinPath(this.context.extensionUri, 'dist', name);
    let worker: Worker | undefined;
    try {
      const wasm = await WebAssembly.compile(
        new Uint8Array(await vscode.workspace.fs.readFile(file('ptx_analyzer_bg.wasm'))),
      );
      worker = new Worker(file('server.js').toString(true));
      worker.postMessage({ wasm });
      worker.onerror = ({ message }) => this.log.error(`The worker of the server: ${message}`);
    } catch (error) {
      worker?.terminate();
      const message =
        'The server inside the extension does not start in this browser. Reload the window; if that does not help, the log says more.';
      return { kind: 'bundled', message, detail: error instanceof Error ? error.message : String(error) };
    }
    const started = worker;
    return {
      client: new LanguageClient(SECTION, 'ptx-analyzer', started, options),
      version: (this.context.extension.packageJSON as { version: string }).version,
      path: undefined,
      kill: () => started.terminate(),
      pid: () => undefined,
    };
  }

  /** The client reads the files of the workspace for the server. */
  attend(client: BaseLanguageClient): vscode.Disposable {
    return new WorkspaceFiles(client, this.log);
  }

  register(): vscode.Disposable[] {
    return Object.entries(ELSEWHERE).map(([command, what]) =>
      vscode.commands.registerCommand(command, () => {
        const message = `${what}, and a browser runs none. Open the folder in VS Code on the desktop or on a remote machine.`;
        void vscode.window.showInformationMessage(message);
      }),
    );
  }
}
