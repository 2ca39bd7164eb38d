/** The server as a program of this machine, and the commands that run programs. */

import * as vscode from 'vscode';
import type { TextEdit } from 'vscode-languageclient';
import { LanguageClient, type LanguageClientOptions } from 'vscode-languageclient/node';
import { SECTION } from '../controller';
import { isProblem, type Around, type Found, type Machine, type Problem } from '../machine';
import { Binaries } from './binaries';
import { Compare } from './compare';
import { Debugger, continueToBarrier, debugEntry, focusLane, stepSourceLine } from './debugger';
import { LanesView } from './lanes';
import { locateServer } from './locate';
import { choosePtxas, runPtxas } from './ptxas';
import { Runs } from './runs';
import { AssembleTasks } from './tasks';

export class ProgramMachine implements Machine {
  readonly runsPrograms = true;

  /** The program of the server that was found last. */
  private program: string | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  async find(options: LanguageClientOptions): Promise<Found | Problem> {
    const settings = vscode.workspace.getConfiguration(SECTION);
    const env = { ...process.env, ...extraEnv(settings) };
    const found = await locateServer({
      configured: settings.get<string>('server.path'),
      extensionPath: this.context.extensionPath,
      env,
      platform: process.platform,
      arch: process.arch,
    });
    if (isProblem(found)) return found;
    this.program = found.path;
    for (const note of found.notes) this.log.warn(note);
    this.log.info(`Server: ${found.path} ${found.version} (${found.source})`);
    const client = new LanguageClient(
      SECTION,
      'ptx-analyzer',
      { command: found.path, args: ['lsp', '--stdio'], options: { env } },
      { ...options, stdioOptions: this.stdio() },
    );
    return {
      client,
      version: found.version,
      path: found.path,
      kill: () => void client.serverProcess?.kill('SIGKILL'),
      pid: () => client.serverProcess?.pid,
    };
  }

  /** The program, where the language server has not been started. */
  private async locate(): Promise<string | undefined> {
    const settings = vscode.workspace.getConfiguration(SECTION);
    const found = await locateServer({
      configured: settings.get<string>('server.path'),
      extensionPath: this.context.extensionPath,
      env: { ...process.env, ...extraEnv(settings) },
      platform: process.platform,
      arch: process.arch,
    });
    return isProblem(found) ? undefined : found.path;
  }

  /** The server reads and watches the files itself. */
  attend(): vscode.Disposable {
    return { dispose: () => undefined };
  }

  register({ log, client, state, showMachineCode, refreshViews }: Around): vscode.Disposable[] {
    const binaries = new Binaries(state);
    const compare = new Compare(state);
    const runs = new Runs(state);
    const lanes = new LanesView(this.context.extensionUri);
    /** Runs ptxas on the file in front, or on one that is named. */
    const run = async (uri?: unknown) => {
      const found = await runPtxas(client(), log, uri instanceof vscode.Uri ? uri : undefined);
      if (found !== undefined) refreshViews();
      return found;
    };
    return [
      binaries,
      compare,
      runs,
      vscode.commands.registerCommand('ptx-analyzer.run', (uri?: unknown, entry?: unknown) => runs.run(uri, entry)),
      vscode.commands.registerCommand('ptx-analyzer.addRun', (uri?: unknown, edit?: TextEdit) => runs.add(uri, edit)),
      ...new Debugger(async () => this.program ?? (await this.locate())).register(),
      lanes,
      vscode.commands.registerCommand('ptx-analyzer.debug', debugEntry),
      vscode.commands.registerCommand('ptx-analyzer.addToLanes', (item?: unknown) => lanes.add(item)),
      vscode.commands.registerCommand('ptx-analyzer.continueToBarrier', continueToBarrier),
      vscode.commands.registerCommand('ptx-analyzer.stepSourceLine', stepSourceLine),
      vscode.commands.registerCommand('ptx-analyzer.focusLane', focusLane),
      vscode.tasks.registerTaskProvider(AssembleTasks.TYPE, new AssembleTasks()),
      vscode.commands.registerCommand('ptx-analyzer.extractPtx', (uri?: vscode.Uri) => binaries.extract(uri)),
      vscode.commands.registerCommand('ptx-analyzer.compareWith', (uri?: vscode.Uri, other?: vscode.Uri) =>
        compare.open(uri, other),
      ),
      vscode.commands.registerCommand('ptx-analyzer.showMachineCode', async () => {
        await showMachineCode();
        // Whoever asks for machine code wants that of this text.
        if ((await runPtxas(client(), log)) !== undefined) refreshViews();
      }),
      vscode.commands.registerCommand('ptx-analyzer.runPtxas', run),
      vscode.commands.registerCommand('ptx-analyzer.choosePtxas', async (uri?: unknown) => {
        if (!(await choosePtxas(client()))) return;
        // Whoever chooses a program wants what it says.
        await run(uri);
      }),
    ];
  }

  private stdio(): NonNullable<LanguageClientOptions['stdioOptions']> {
    return {
      // Standard output carries the protocol; the client library reads it itself.
      stdout: () => undefined,
      // The server's log has levels of its own; as errors its lines would all look alarming.
      stderr: (input) => {
        let rest = '';
        input.setEncoding('utf8');
        input.on('data', (chunk: string) => {
          const lines = (rest + chunk).split(/\r?\n/);
          rest = lines.pop() ?? '';
          for (const line of lines) this.log.info(line);
        });
        input.on('end', () => {
          if (rest) this.log.info(rest);
        });
      },
    };
  }
}

function extraEnv(settings: vscode.WorkspaceConfiguration): Record<string, string> {
  const values = settings.get<Record<string, string | number>>('server.extraEnv') ?? {};
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}
