/** The extension wherever it runs: registers the commands, starts the server, and hands a small interface to tests. */

import * as vscode from 'vscode';
import type { Location, Position, Range } from 'vscode-languageclient';
import { Controller, SECTION } from './controller';
import type { Machine } from './machine';
import { Marks } from './marks';
import { ReadingView } from './reading';
import { Status, type ServerState } from './status';
import { SyntaxTreeView } from './syntaxTree';
import { Trials } from './trial';
import { flowView } from './views/flow';
import { kernelView } from './views/kernel';
import { LiveView } from './views/liveView';
import { machineView } from './views/machine';
import type { Content } from './views/messages';
import { registersView } from './views/registers';
import { targetsView } from './views/targets';
import { Words } from './words';

/** What `activate` gives to other extensions, and to the tests. */
export interface Api {
  /** How the server is. */
  state(): ServerState;
  /** The process id of the running server. */
  serverPid(): number | undefined;
  /** What an open view shows: `registers`, `flow`, `kernel`, `targets` or `machine`. */
  view(name: 'registers' | 'flow' | 'kernel' | 'targets' | 'machine'): Content | undefined;
  /** The lines that are marked, as by “Show Live Range”. */
  marked(): readonly vscode.Range[];
  /** The lines that are marked because the cursor is at the same place of a reading or of its file, by their document. */
  read(): ReadonlyMap<string, readonly vscode.Range[]>;
}

let controller: Controller | undefined;

/** Activates the extension on a machine. */
export function activateOn(
  context: vscode.ExtensionContext,
  machineOf: (log: vscode.LogOutputChannel) => Machine,
): Api {
  const log = vscode.window.createOutputChannel('ptx-analyzer', { log: true });
  const machine = machineOf(log);
  // The manifest hides the commands that need programs where there are none.
  void vscode.commands.executeCommand('setContext', 'ptx-analyzer.withoutPrograms', !machine.runsPrograms);
  const status = new Status(machine.runsPrograms);
  const control = new Controller(context, machine, status, log);
  controller = control;
  const trees = new SyntaxTreeView(() => control.client);
  const readings = new ReadingView(() => control.client);
  const words = new Words(() => control.client);
  const trials = new Trials(() => control.client);
  const marks = new Marks(() => control.client);
  const view = (kind: ReturnType<typeof flowView>) => new LiveView(context.extensionUri, () => control.client, kind);
  const views = {
    registers: view(registersView()),
    flow: view(flowView()),
    kernel: view(kernelView()),
    targets: view(targetsView()),
    machine: view(machineView(context.globalState)),
  };
  const refreshViews = () => {
    for (const it of Object.values(views)) it.refresh();
  };
  /** The place that the command of a code lens names, in the words of the protocol. */
  const place = (uri?: string, at?: Position): [vscode.Uri | undefined, vscode.Position | undefined] => {
    const convert = control.client?.protocol2CodeConverter;
    if (convert === undefined || typeof uri !== 'string') return [undefined, undefined];
    return [convert.asUri(uri), at === undefined ? undefined : convert.asPosition(at)];
  };
  context.subscriptions.push(
    log,
    status,
    control,
    trees,
    readings,
    words,
    trials,
    marks,
    ...Object.values(views),
    control.onDidStart(() => {
      trees.refreshAll();
      readings.refreshAll();
      words.forget();
      refreshViews();
    }),
    control.onDidWork(() => {
      views.registers.refresh();
      views.machine.refresh();
    }),
    ...machine.register({
      log,
      client: () => control.client,
      state: () => status.current,
      showMachineCode: () => views.machine.open(),
      refreshViews,
    }),
    vscode.commands.registerCommand('ptx-analyzer.restartServer', () => control.restart()),
    vscode.commands.registerCommand('ptx-analyzer.stopServer', () => control.stop()),
    vscode.commands.registerCommand('ptx-analyzer.showLog', () => log.show(true)),
    vscode.commands.registerCommand('ptx-analyzer.showSyntaxTree', () => trees.open()),
    vscode.commands.registerCommand('ptx-analyzer.showRegisters', (uri?: string, at?: Position) =>
      views.registers.open(...place(uri, at)),
    ),
    vscode.commands.registerCommand('ptx-analyzer.showControlFlow', (uri?: string, at?: Position) =>
      views.flow.open(...place(uri, at)),
    ),
    vscode.commands.registerCommand('ptx-analyzer.showKernel', (uri?: string, at?: Position) =>
      views.kernel.open(...place(uri, at)),
    ),
    vscode.commands.registerCommand('ptx-analyzer.readKernel', () => readings.open()),
    vscode.commands.registerCommand('ptx-analyzer.tryStatements', (uri?: unknown, range?: Range) =>
      trials.start(typeof uri === 'string' && range !== undefined ? { uri, range } : undefined),
    ),
    vscode.commands.registerCommand('ptx-analyzer.compareTargets', () => views.targets.open()),
    vscode.commands.registerCommand('ptx-analyzer.explainWord', (name?: unknown) =>
      words.explain(typeof name === 'string' ? name : undefined),
    ),
    vscode.commands.registerCommand('ptx-analyzer.goToPtx', () => marks.showSourceLine()),
    vscode.commands.registerCommand('ptx-analyzer.showLiveRange', () => marks.showLiveRange()),
    vscode.commands.registerCommand('ptx-analyzer.showBackwardSlice', () => marks.showSlice('backward')),
    vscode.commands.registerCommand('ptx-analyzer.showForwardSlice', () => marks.showSlice('forward')),
    vscode.commands.registerCommand('ptx-analyzer.showAccesses', () => marks.showAccesses()),
    vscode.commands.registerCommand('ptx-analyzer.clearMarks', () => marks.clear()),
    vscode.commands.registerCommand('ptx-analyzer.showReferences', (uri: string, at: Position, uses: Location[]) => {
      // The command of a code lens; its arguments are those of the protocol.
      const convert = control.client?.protocol2CodeConverter;
      if (convert === undefined) return undefined;
      return vscode.commands.executeCommand(
        'editor.action.showReferences',
        convert.asUri(uri),
        convert.asPosition(at),
        uses.map((use) => convert.asLocation(use)),
      );
    }),
    vscode.commands.registerCommand('ptx-analyzer.renameFamily', (uri: string, at: Position) => {
      // The command of a code action; its arguments are those of the protocol.
      const convert = control.client?.protocol2CodeConverter;
      if (convert === undefined) return undefined;
      return vscode.commands.executeCommand('editor.action.rename', [convert.asUri(uri), convert.asPosition(at)]);
    }),
    vscode.commands.registerCommand('ptx-analyzer.openSettings', () =>
      // On a remote machine the server's settings are of that machine and shown on a page of their own.
      vscode.commands.executeCommand(
        vscode.env.remoteName === undefined ? 'workbench.action.openSettings' : 'workbench.action.openRemoteSettings',
        { query: `@ext:${context.extension.id}` },
      ),
    ),
    vscode.commands.registerCommand('ptx-analyzer.openExample', async () => {
      // Without a name, so that saving asks for one and the example stays as it is.
      const example = vscode.Uri.joinPath(context.extensionUri, 'walkthrough', 'example.ptx');
      const content = new TextDecoder().decode(await vscode.workspace.fs.readFile(example));
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: 'ptx', content }));
    }),
    vscode.commands.registerCommand('ptx-analyzer.openInstallHelp', () =>
      // The help is a file of the extension, so it is there without a network.
      vscode.commands.executeCommand('markdown.showPreview', vscode.Uri.joinPath(context.extensionUri, 'INSTALL.md')),
    ),
    vscode.workspace.onDidChangeConfiguration((event) => {
      // The other settings are the server's own and reach it over the protocol.
      if (event.affectsConfiguration(`${SECTION}.server`)) void control.restart();
    }),
  );
  // Not waited for: the editor should not hang with a server that does.
  void control.start();
  return {
    state: () => status.current,
    serverPid: () => control.pid,
    view: (name) => views[name].shown,
    marked: () => marks.current?.ranges ?? [],
    read: () => readings.marked,
  };
}

export async function deactivate(): Promise<void> {
  await controller?.stop();
}
