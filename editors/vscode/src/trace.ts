/**
 * Makes the setting `ptx-analyzer.trace.server` work.
 *
 * The client library traces only while the level of its output channel is “trace”, which an extension cannot set.
 * This channel takes its level from the setting instead, and writes to the log.
 */

import * as vscode from 'vscode';

/** A face of the log whose level is “trace” while the setting asks for messages. */
export class TraceChannel implements vscode.LogOutputChannel {
  private readonly levelChanged = new vscode.EventEmitter<vscode.LogLevel>();
  private readonly listener: vscode.Disposable;
  readonly onDidChangeLogLevel = this.levelChanged.event;

  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly setting: string,
  ) {
    this.listener = vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(setting)) this.levelChanged.fire(this.logLevel);
    });
  }

  get name(): string {
    return this.log.name;
  }

  get logLevel(): vscode.LogLevel {
    const value = vscode.workspace.getConfiguration().get<string>(this.setting, 'off');
    return value === 'off' ? vscode.LogLevel.Off : vscode.LogLevel.Trace;
  }

  /** The log itself would drop what is below its own level. */
  trace(message: string, ...args: unknown[]): void {
    this.log.info(message, ...args);
  }

  debug(message: string, ...args: unknown[]): void {
    this.log.debug(message, ...args);
  }

  info(message: string, ...args: unknown[]): void {
    this.log.info(message, ...args);
  }

  warn(message: string, ...args: unknown[]): void {
    this.log.warn(message, ...args);
  }

  error(error: string | Error, ...args: unknown[]): void {
    this.log.error(error, ...args);
  }

  append(value: string): void {
    this.log.append(value);
  }

  appendLine(value: string): void {
    this.log.appendLine(value);
  }

  replace(value: string): void {
    this.log.replace(value);
  }

  clear(): void {
    this.log.clear();
  }

  show(): void {
    this.log.show(true);
  }

  hide(): void {
    this.log.hide();
  }

  /** Ends the watch on the setting; the log belongs to someone else. */
  dispose(): void {
    this.listener.dispose();
    this.levelChanged.dispose();
  }
}
