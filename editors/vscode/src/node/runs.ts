/** Runs kernels as the comments `// run:` above them say, by a command and in the Testing view. */

import { dirname } from 'node:path';
import * as vscode from 'vscode';
import type { TextEdit } from 'vscode-languageclient';
import { lineOf, problemsOf, runsOf, summaryOf, type Problem, type RunRecord, type TestRecord } from './findings';
import { records, runProgram, type Input, type Output } from './run';
import type { ServerState } from '../status';

/** Runs of more seconds are stopped. */
const TIMEOUT = 600;
/** The command that writes a comment, as the server's lenses name it. */
const ADD_RUN = 'ptx-analyzer.addRun';
/** The largest number of code lenses that are requested for a file. */
const MAX_LENSES = 1_000;
/** More files than these are not searched for runs. */
const MAX_FILES = 2_000;

export class Runs {
  private readonly found = vscode.languages.createDiagnosticCollection('ptx-analyzer.run');
  private readonly channel = vscode.window.createOutputChannel('PTX Run');
  private readonly tests = vscode.tests.createTestController('ptx-analyzer.runs', 'PTX');
  private readonly disposables: vscode.Disposable[] = [this.found, this.channel, this.tests];

  constructor(private readonly state: () => ServerState) {
    this.disposables.push(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length === 0) return;
        // The findings are about another text.
        this.found.delete(document.uri);
        this.list(document);
      }),
      vscode.workspace.onDidOpenTextDocument((document) => this.list(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.found.delete(document.uri)),
    );
    vscode.workspace.textDocuments.forEach((document) => this.list(document));
    this.tests.resolveHandler = async (item) => {
      if (item === undefined) await this.search();
    };
    this.tests.refreshHandler = () => this.search();
    this.tests.createRunProfile(
      'Run',
      vscode.TestRunProfileKind.Run,
      (request, token) => this.test(request, token),
      true,
    );
  }

  /** Runs the entries of the file in front, or one of them; returns a sentence about each. */
  async run(uri?: unknown, entry?: unknown): Promise<string | undefined> {
    const named = typeof uri === 'string' ? vscode.Uri.parse(uri, true) : uri;
    const wanted = named instanceof vscode.Uri ? named : vscode.window.activeTextEditor?.document.uri;
    if (wanted === undefined) {
      void vscode.window.showInformationMessage('Open a PTX file to run its kernels.');
      return undefined;
    }
    const document = await vscode.workspace.openTextDocument(wanted);
    const text = document.getText();
    const options = ['--format', 'json', '--timeout', String(TIMEOUT)];
    const args = ['run', ...options, ...(typeof entry === 'string' ? ['--entry', entry] : []), '-'];
    const title = typeof entry === 'string' ? `Running ${entry}` : 'Running kernels';
    try {
      const input = { text, cwd: folderOf(wanted) };
      const { status, stdout, stderr } = await this.withProgress(title, args, input);
      if (status === 2) throw new Error(stderr.trim().replaceAll('<stdin>', nameOf(wanted)));
      const runs = records(stdout) as RunRecord[];
      // The text may have changed meanwhile.
      if (document.getText() === text) this.show(document, runs);
      const said = runs.map(summaryOf);
      this.channel.appendLine([...runs.map((it) => it.printed ?? ''), ...said].filter((it) => it !== '').join('\n'));
      const summary = said.join('\n');
      if (status === 0) void vscode.window.showInformationMessage(summary);
      else void vscode.window.showWarningMessage(summary);
      return summary;
    } catch (error) {
      if (error instanceof Error && error.name === 'AbortError') return undefined;
      const message = error instanceof Error ? error.message : String(error);
      this.channel.appendLine(message);
      void vscode.window.showErrorMessage(message.split('\n')[0] ?? message);
      return undefined;
    }
  }

  /** Writes a comment above an entry: the command of a code lens, with a text edit of the protocol. */
  async add(uri: unknown, edit: TextEdit | undefined): Promise<void> {
    if (typeof uri !== 'string' || edit === undefined) {
      await this.addAtCursor();
      return;
    }
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true));
    const { start, end } = edit.range;
    const range = new vscode.Range(start.line, start.character, end.line, end.character);
    const edits = new vscode.WorkspaceEdit();
    edits.replace(document.uri, range, edit.newText);
    await vscode.workspace.applyEdit(edits);
  }

  /** Writes a comment above the kernel at the cursor, or above the first one that has none. */
  private async addAtCursor(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId !== 'ptx') return;
    const { document, selection } = editor;
    const provider = 'vscode.executeCodeLensProvider';
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(provider, document.uri, MAX_LENSES);
    const adding = lenses.filter((it) => it.command?.command === ADD_RUN);
    const last = adding.filter((it) => it.range.start.isBeforeOrEqual(selection.active)).pop() ?? adding[0];
    const [uri, edit] = (last?.command?.arguments ?? []) as [string?, TextEdit?];
    if (uri !== undefined && edit !== undefined) await this.add(uri, edit);
    else
      void vscode.window.showInformationMessage('Every kernel of this file has a run, or the server has not started.');
  }

  dispose(): void {
    for (const it of this.disposables) it.dispose();
  }

  private withProgress(title: string, args: string[], input: Input): Promise<Output> {
    const location = vscode.ProgressLocation.Notification;
    const run = async (_: unknown, token: vscode.CancellationToken) => {
      const abort = new AbortController();
      const cancelled = token.onCancellationRequested(() => abort.abort());
      try {
        return await runProgram(this.state(), args, { ...input, signal: abort.signal });
      } finally {
        cancelled.dispose();
      }
    };
    return Promise.resolve(vscode.window.withProgress({ location, title, cancellable: true }, run));
  }

  /** Shows what runs found until the next edit. */
  private show(document: vscode.TextDocument, runs: RunRecord[]): void {
    const described = runsOf(document.getText());
    const problems = runs.flatMap((run) => {
      const home = described.find((it) => it.name === (run.name ?? run.entry))?.line ?? 0;
      return problemsOf(run, home);
    });
    this.found.set(document.uri, diagnosticsOf(document, problems));
  }

  /** Lists the runs of an open document in the Testing view. */
  private list(document: vscode.TextDocument): void {
    if (document.languageId !== 'ptx' || document.uri.scheme !== 'file') return;
    this.fill(document.uri, document.getText());
  }

  private fill(uri: vscode.Uri, text: string): void {
    const id = uri.toString();
    const runs = runsOf(text);
    if (runs.length === 0) {
      this.tests.items.delete(id);
      return;
    }
    const file = this.tests.items.get(id) ?? this.tests.createTestItem(id, vscode.workspace.asRelativePath(uri), uri);
    file.children.replace(
      runs.map(({ line, name }) => {
        const item = this.tests.createTestItem(`${id}:${line}`, name, uri);
        item.range = new vscode.Range(line, 0, line, 0);
        return item;
      }),
    );
    this.tests.items.add(file);
  }

  /** Finds the runs of the workspace. Nothing is run for that. */
  private async search(): Promise<void> {
    const files = await vscode.workspace.findFiles('**/*.ptx', undefined, MAX_FILES);
    for (const uri of files) {
      const open = vscode.workspace.textDocuments.find((it) => it.uri.toString() === uri.toString());
      try {
        const text = open?.getText() ?? new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
        this.fill(uri, text);
      } catch {
        // It is gone again.
      }
    }
  }

  private async test(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const run = this.tests.createTestRun(request);
    const abort = new AbortController();
    const cancelled = token.onCancellationRequested(() => abort.abort());
    const excluded = new Set(request.exclude?.map((it) => it.id));
    const files: vscode.TestItem[] = [];
    this.tests.items.forEach((it) => files.push(it));
    for (const file of files) {
      if (token.isCancellationRequested) break;
      const items: vscode.TestItem[] = [];
      file.children.forEach((it) => {
        const wanted = request.include === undefined || request.include.some((one) => one === it || one === file);
        if (wanted && !excluded.has(it.id) && !excluded.has(file.id)) items.push(it);
      });
      if (items.length > 0) await this.testFile(run, file, items, abort.signal);
    }
    cancelled.dispose();
    run.end();
  }

  /** Runs the tests of a file. */
  private async testFile(
    run: vscode.TestRun,
    file: vscode.TestItem,
    items: vscode.TestItem[],
    signal: AbortSignal,
  ): Promise<void> {
    const uri = file.uri;
    if (uri === undefined) return;
    for (const it of items) run.started(it);
    try {
      const document = await vscode.workspace.openTextDocument(uri);
      // The files next to it are read as well, so the file on disk is tested.
      if (document.isDirty) await document.save();
      const args = ['test', '--format', 'json', '--timeout', String(TIMEOUT), uri.fsPath];
      const only = items.length === 1 ? items[0]?.range?.start.line : undefined;
      if (only !== undefined) args.push('--filter', `${uri.fsPath}:${only + 1} `);
      const { stdout, stderr } = await runProgram(this.state(), args, { cwd: folderOf(uri), signal });
      const tested = records(stdout) as TestRecord[];
      const found: Problem[] = [];
      for (const item of items) {
        const record = tested.find((it) => lineOf(it) === item.range?.start.line);
        if (record === undefined) run.errored(item, new vscode.TestMessage(stderr.trim() || 'The run was not found.'));
        else found.push(...report(run, document, item, record));
      }
      if (!document.isDirty) this.found.set(uri, diagnosticsOf(document, found));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      for (const it of items) run.errored(it, new vscode.TestMessage(message));
    }
  }
}

/** Reports the result of a test; returns its problems. */
function report(
  run: vscode.TestRun,
  document: vscode.TextDocument,
  item: vscode.TestItem,
  record: TestRecord,
): Problem[] {
  const milliseconds = record.seconds * 1000;
  for (const it of record.runs) run.appendOutput(`${summaryOf(it)}\r\n`, undefined, item);
  if (record.passed) {
    run.passed(item, milliseconds);
    return [];
  }
  const home = item.range?.start.line ?? 0;
  // Most schedules find the same.
  const seen = new Set<string>();
  const problems = record.runs
    .flatMap((it) => problemsOf(it, home))
    .filter((it) => {
      const key = `${it.line} ${it.code}`;
      return !seen.has(key) && seen.add(key);
    });
  const messages = problems.map((it) => {
    const message = new vscode.TestMessage(`${it.code}: ${it.message}`);
    message.location = new vscode.Location(document.uri, rangeOf(document, it.line));
    return message;
  });
  const reasons = record.messages.map((it) => new vscode.TestMessage(it));
  run.failed(item, messages.length > 0 ? messages : reasons, milliseconds);
  return problems;
}

/** The folder in which the files of a launch are. */
function folderOf(uri: vscode.Uri): string | undefined {
  return uri.scheme === 'file' ? dirname(uri.fsPath) : undefined;
}

function nameOf(uri: vscode.Uri): string {
  return uri.path.split('/').at(-1) ?? uri.path;
}

/** The statement of a line. */
function rangeOf(document: vscode.TextDocument, line: number): vscode.Range {
  const at = document.lineAt(Math.min(Math.max(line, 0), document.lineCount - 1));
  return new vscode.Range(at.lineNumber, at.firstNonWhitespaceCharacterIndex, at.lineNumber, at.text.trimEnd().length);
}

function diagnosticsOf(document: vscode.TextDocument, problems: Problem[]): vscode.Diagnostic[] {
  return problems.map((it) => diagnosticOf(document, it));
}

function diagnosticOf(document: vscode.TextDocument, it: Problem): vscode.Diagnostic {
  const severity = it.severity === 'error' ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning;
  const diagnostic = new vscode.Diagnostic(rangeOf(document, it.line), it.message, severity);
  diagnostic.source = 'run';
  diagnostic.code = it.code;
  diagnostic.relatedInformation = it.related.map(
    ({ line, message }) =>
      new vscode.DiagnosticRelatedInformation(new vscode.Location(document.uri, rangeOf(document, line)), message),
  );
  return diagnostic;
}
