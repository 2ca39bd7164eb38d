/** Starts, watches, stops and restarts the server, and tells the user what is the matter when it does not run. */

import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  State,
  type BaseLanguageClient,
  type LanguageClientOptions,
  type StaticFeature,
} from 'vscode-languageclient';
import { isProblem, type Found, type Machine, type Problem } from './machine';
import type { Status } from './status';
import { isDark } from './theme';
import { TraceChannel } from './trace';

/** The section of the settings, and the name the client goes by. */
export const SECTION = 'ptx-analyzer';

/** A server that ends this often within the period is not started again by itself. */
const MAX_CRASHES = 5;
const CRASH_PERIOD_MS = 3 * 60_000;
/** A server that has not answered by then will not answer. */
const START_TIMEOUT_MS = 30_000;
/** How long a server may take to shut down before it is ended. */
const STOP_TIMEOUT_MS = 5_000;

/** Tells the server which commands its code lenses and completions may have, and the colours of pictures in hovers. */
const ownCapabilities = (runsPrograms: boolean): StaticFeature => ({
  fillClientCapabilities: (capabilities) => {
    const commands = [
      'ptx-analyzer.showReferences',
      'ptx-analyzer.showRegisters',
      'ptx-analyzer.showKernel',
      'ptx-analyzer.renameFamily',
      'ptx-analyzer.tryStatements',
      'editor.action.triggerSuggest',
      ...(runsPrograms ? ['ptx-analyzer.run', 'ptx-analyzer.debug', 'ptx-analyzer.addRun'] : []),
    ];
    capabilities.experimental = {
      ...(capabilities.experimental as object | undefined),
      commands: { commands },
      hoverPictures: isDark() ? 'dark' : 'light',
    };
  },
  initialize: () => undefined,
  getState: () => ({ kind: 'static' }),
  clear: () => undefined,
});

const OPEN_SETTINGS = 'Open settings';
const HOW_TO_INSTALL = 'How to install';
const SHOW_LOG = 'Show log';
const RESTART = 'Restart';

export class Controller {
  private server: Found | undefined;
  /** What the machine does for the server while it is up. */
  private attended: vscode.Disposable | undefined;
  /** Starting and stopping take turns: each waits for the one before. */
  private turn: Promise<void> = Promise.resolve();
  private crashes: number[] = [];
  private readonly trace: TraceChannel;
  private readonly trust: vscode.Disposable;
  private readonly started = new vscode.EventEmitter<void>();
  /** Fires whenever a server has come up. */
  readonly onDidStart = this.started.event;
  private readonly worked = new vscode.EventEmitter<void>();
  /** Fires whenever the server has ended a piece of work in the background, such as a run of `ptxas`. */
  readonly onDidWork = this.worked.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly machine: Machine,
    private readonly status: Status,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.trace = new TraceChannel(log, `${SECTION}.trace.server`);
    this.trust = vscode.workspace.onDidGrantWorkspaceTrust(() => {
      void this.client?.sendNotification('ptx/didGrantTrust');
    });
  }

  /** The client of the running server. */
  get client(): BaseLanguageClient | undefined {
    return this.server?.client;
  }

  /** The process of the running server, if it is one. */
  get pid(): number | undefined {
    return this.server?.pid();
  }

  /** Starts the server; a failure is shown to the user, not thrown. */
  start(): Promise<void> {
    return this.inTurn(() => this.doStart());
  }

  /** Stops the server. */
  stop(): Promise<void> {
    return this.inTurn(() => this.doStop());
  }

  /** Stops the server and starts it again, looking for the program afresh. */
  restart(): Promise<void> {
    this.crashes = [];
    // A start that hangs would hold up its successor.
    this.killUnlessRunning();
    return this.inTurn(async () => {
      await this.doStop();
      await this.doStart();
    });
  }

  dispose(): void {
    this.started.dispose();
    this.worked.dispose();
    this.trust.dispose();
    this.trace.dispose();
    this.attended?.dispose();
  }

  /** Ends a server that has not come up yet; {@link doStart} sees to the rest. */
  private killUnlessRunning(): void {
    if (this.server?.client.isRunning() === false) this.server.kill();
  }

  private inTurn(action: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(action, action);
    return this.turn;
  }

  private async doStart(): Promise<void> {
    if (this.server !== undefined) return;
    this.status.show({ kind: 'starting' });
    const found = await this.machine.find(this.options());
    if (isProblem(found)) {
      this.reportProblem(found);
      return;
    }
    const own = (this.context.extension.packageJSON as { version: string }).version;
    if (found.version !== own) this.log.warn(`The server is version ${found.version}, the extension ${own}.`);

    let up = false;
    const { client } = found;
    client.onDidChangeState(({ newState }) => {
      // Before it is up, start() fails and says so; and what has been stopped on purpose is not ours any more.
      if (newState === State.Stopped && up && this.server === found) this.crashed();
    });
    client.registerFeature(ownCapabilities(this.machine.runsPrograms));
    this.server = found;
    const late = setTimeout(() => {
      this.log.error(`The server has not answered for ${START_TIMEOUT_MS / 1000} seconds and is ended.`);
      this.killUnlessRunning();
    }, START_TIMEOUT_MS);
    try {
      await client.start();
      up = true;
      if (!client.isRunning()) {
        this.crashed();
        return;
      }
      this.attended = this.machine.attend(client);
      this.status.show({ kind: 'ready', version: found.version, path: found.path });
      this.started.fire();
    } catch (error) {
      this.forget();
      await client.dispose(STOP_TIMEOUT_MS).catch(() => undefined);
      found.kill();
      this.fail('The server was started, but ended or fell silent before its first answer.', error);
    } finally {
      clearTimeout(late);
    }
  }

  private async doStop(): Promise<void> {
    const { server } = this;
    this.forget();
    if (server !== undefined) {
      try {
        await server.client.dispose(STOP_TIMEOUT_MS);
      } catch (error) {
        this.log.warn(`The server did not stop in an orderly way: ${text(error)}`);
      }
      server.kill();
    }
    this.status.show({ kind: 'stopped' });
  }

  /** The server is not ours any more. */
  private forget(): void {
    this.server = undefined;
    this.attended?.dispose();
    this.attended = undefined;
  }

  /** A running server has ended by itself: starts it again, unless that happens too often. */
  private crashed(): void {
    const now = Date.now();
    this.crashes = [...this.crashes.filter((at) => now - at < CRASH_PERIOD_MS), now];
    this.forget();
    if (this.crashes.length < MAX_CRASHES) {
      this.log.warn('The server ended unexpectedly and is started again.');
      this.status.show({ kind: 'starting' });
      void this.start();
    } else {
      this.fail(
        `The server ended unexpectedly ${this.crashes.length} times within three minutes and is not started again.`,
      );
    }
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: schemes().map((scheme) => ({ language: 'ptx', scheme })),
      outputChannel: this.log,
      traceOutputChannel: this.trace,
      initializationOptions: () => ({
        // A copy, for what the editor gives cannot be posted to a worker.
        ...(JSON.parse(JSON.stringify(vscode.workspace.getConfiguration().get(SECTION) ?? {})) as object),
        // Without trust the server runs no other program, whatever the settings say.
        trusted: vscode.workspace.isTrusted,
      }),
      middleware: {
        handleWorkDoneProgress: (token, params, next) => {
          if (params.kind === 'begin') this.status.progress(token, params.title);
          else if (params.kind === 'end') {
            this.status.progress(token, undefined);
            this.worked.fire();
          }
          next(token, params);
        },
        workspace: {
          didChangeConfiguration: async (sections, next) => {
            try {
              await next(sections);
            } catch (error) {
              // The change may be the very one for which the server is being restarted; the next one asks anew.
              this.log.warn(`The server was not told of a change of the settings: ${text(error)}`);
            }
          },
        },
      },
      errorHandler: {
        error: (_error, _message, count) => ({
          action: (count ?? 0) <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown,
          handled: true,
        }),
        // Starting again is for this class to do, which also looks for the program again and keeps the count.
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
      },
    };
  }

  private reportProblem(problem: Problem): void {
    this.log.error(`${problem.message}${problem.detail ? `\n${problem.detail}` : ''}`);
    this.status.show({ kind: 'error', message: problem.message });
    const buttons = problem.kind === 'setting' ? [OPEN_SETTINGS, SHOW_LOG] : [HOW_TO_INSTALL, OPEN_SETTINGS, SHOW_LOG];
    this.ask(problem.message, buttons);
  }

  private fail(message: string, error?: unknown): void {
    this.log.error(error === undefined ? message : `${message} ${text(error)}`);
    this.status.show({ kind: 'error', message });
    this.ask(message, [RESTART, SHOW_LOG]);
  }

  /** Shows a message without waiting for the answer, which may never come. */
  private ask(message: string, buttons: string[]): void {
    void vscode.window.showErrorMessage(message, ...buttons).then((choice) => {
      const command = {
        [OPEN_SETTINGS]: 'ptx-analyzer.openSettings',
        [HOW_TO_INSTALL]: 'ptx-analyzer.openInstallHelp',
        [SHOW_LOG]: 'ptx-analyzer.showLog',
        [RESTART]: 'ptx-analyzer.restartServer',
      }[choice ?? ''];
      if (command !== undefined) void vscode.commands.executeCommand(command);
    });
  }
}

/** Where files are that are edited: on disk, nowhere yet, or where a virtual workspace has them. */
function schemes(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return [...new Set(['file', 'untitled', 'vscode-vfs', ...folders.map(({ uri }) => uri.scheme)])];
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
