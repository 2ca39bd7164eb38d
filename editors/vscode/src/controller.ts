/** Starts, watches, stops and restarts the server, and tells the user what is the matter when it does not run. */

import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  State,
  type LanguageClientOptions,
  type StaticFeature,
} from 'vscode-languageclient/node';
import { isProblem, locateServer, type Problem } from './locate';
import type { Status } from './status';
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

/** Tells the server which commands its code lenses may have. */
const OWN_COMMANDS: StaticFeature = {
  fillClientCapabilities: (capabilities) => {
    const commands = ['ptx-analyzer.showReferences', 'ptx-analyzer.showRegisters', 'ptx-analyzer.renameFamily'];
    capabilities.experimental = { ...(capabilities.experimental as object | undefined), commands: { commands } };
  },
  initialize: () => undefined,
  getState: () => ({ kind: 'static' }),
  clear: () => undefined,
};

const OPEN_SETTINGS = 'Open settings';
const HOW_TO_INSTALL = 'How to install';
const SHOW_LOG = 'Show log';
const RESTART = 'Restart';

export class Controller {
  private running: LanguageClient | undefined;
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
    private readonly status: Status,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.trace = new TraceChannel(log, `${SECTION}.trace.server`);
    this.trust = vscode.workspace.onDidGrantWorkspaceTrust(() => {
      void this.running?.sendNotification('ptx/didGrantTrust');
    });
  }

  /** The client of the running server. */
  get client(): LanguageClient | undefined {
    return this.running;
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
  }

  /** Ends the process of a server that has not come up yet; {@link doStart} sees to the rest. */
  private killUnlessRunning(): void {
    if (this.running?.isRunning() === false) this.running.serverProcess?.kill('SIGKILL');
  }

  private inTurn(action: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(action, action);
    return this.turn;
  }

  private async doStart(): Promise<void> {
    if (this.running !== undefined) return;
    this.status.show({ kind: 'starting' });
    const settings = vscode.workspace.getConfiguration(SECTION);
    const env = { ...process.env, ...extraEnv(settings) };
    const found = await locateServer({
      configured: settings.get<string>('server.path'),
      extensionPath: this.context.extensionPath,
      env,
      platform: process.platform,
      arch: process.arch,
    });
    if (isProblem(found)) {
      this.reportProblem(found);
      return;
    }
    for (const note of found.notes) this.log.warn(note);
    this.log.info(`Server: ${found.path} ${found.version} (${found.source})`);
    const own = (this.context.extension.packageJSON as { version: string }).version;
    if (found.version !== own) this.log.warn(`The server is version ${found.version}, the extension ${own}.`);

    let up = false;
    const client: LanguageClient = new LanguageClient(
      SECTION,
      'ptx-analyzer',
      { command: found.path, args: ['lsp', '--stdio'], options: { env } },
      this.options(),
    );
    client.onDidChangeState(({ newState }) => {
      // Before it is up, start() fails and says so; and what has been stopped on purpose is not ours any more.
      if (newState === State.Stopped && up && this.running === client) this.crashed();
    });
    client.registerFeature(OWN_COMMANDS);
    this.running = client;
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
      this.status.show({ kind: 'ready', version: found.version, path: found.path });
      this.started.fire();
    } catch (error) {
      this.running = undefined;
      await client.dispose(STOP_TIMEOUT_MS).catch(() => undefined);
      this.fail('The server was started, but ended or fell silent before its first answer.', error);
    } finally {
      clearTimeout(late);
    }
  }

  private async doStop(): Promise<void> {
    const client = this.running;
    this.running = undefined;
    if (client !== undefined) {
      try {
        await client.dispose(STOP_TIMEOUT_MS);
      } catch (error) {
        this.log.warn(`The server did not stop in an orderly way: ${text(error)}`);
      }
    }
    this.status.show({ kind: 'stopped' });
  }

  /** A running server has ended by itself: starts it again, unless that happens too often. */
  private crashed(): void {
    const now = Date.now();
    this.crashes = [...this.crashes.filter((at) => now - at < CRASH_PERIOD_MS), now];
    this.running = undefined;
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
      documentSelector: [
        { language: 'ptx', scheme: 'file' },
        { language: 'ptx', scheme: 'untitled' },
      ],
      outputChannel: this.log,
      traceOutputChannel: this.trace,
      initializationOptions: () => ({
        ...vscode.workspace.getConfiguration().get<object>(SECTION),
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
      stdioOptions: {
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

function extraEnv(settings: vscode.WorkspaceConfiguration): Record<string, string> {
  const values = settings.get<Record<string, string | number>>('server.extraEnv') ?? {};
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
