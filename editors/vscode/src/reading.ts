/** The read-only document that shows a function as pseudocode; the cursor in it marks its PTX, and the other way round. */

import * as vscode from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient';
import type { FunctionReading } from './protocol';

const SCHEME = 'ptx-reading';
const LANGUAGE = 'ptx-reading';
/** Typing fast should not ask for a reading per letter. */
const REFRESH_DELAY_MS = 400;
/** The column of further lines and of the source, and how many of them are listed. */
const COLUMN = 84;
const MAX_RUNS = 4;
/** The spaces of a level; deeper levels have the indentation of the last one. */
const LEVEL = 4;
const MAX_LEVELS = 24;

/** A line of the document. */
interface Shown {
  text: string;
  /** How many loops, conditions and the like are around it; the line above the others has none. */
  level: number;
  /** Its statements in the PTX file. */
  ranges: vscode.Range[];
  /** Where the numbers of their lines are in the text, each with the first line, counted from 0. */
  links: { range: vscode.Range; line: number }[];
  /** The same of the place in the source file, if that exists. */
  source?: { range: vscode.Range; uri: vscode.Uri; line: number };
}

/** Provides the readings. The client comes and goes with the server, so it is asked for each time. */
export class ReadingView
  implements
    vscode.TextDocumentContentProvider,
    vscode.DocumentLinkProvider,
    vscode.DefinitionProvider,
    vscode.FoldingRangeProvider
{
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly disposables: vscode.Disposable[] = [];
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
  /** The lines of each reading that is open. */
  private readonly shown = new Map<string, Shown[]>();
  /** The marked lines by their documents, for tests. */
  readonly marked = new Map<string, readonly vscode.Range[]>();
  readonly onDidChange = this.changed.event;
  private readonly mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.rangeHighlightForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });

  constructor(private readonly client: () => BaseLanguageClient | undefined) {
    const selector = { language: LANGUAGE, scheme: SCHEME };
    this.disposables.push(
      this.changed,
      this.mark,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.languages.registerDocumentLinkProvider(selector, this),
      vscode.languages.registerDefinitionProvider(selector, this),
      vscode.languages.registerFoldingRangeProvider(selector, this),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme === SCHEME) this.follow(editorOf(document.uri));
        else if (document.languageId === 'ptx') this.refreshSoon(document.uri);
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme !== SCHEME) return;
        this.shown.delete(uri.toString());
        this.decorate(sourceOf(uri), []);
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.follow(textEditor)),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.follow(editor)),
    );
  }

  /** Opens the reading of the function at the cursor next to the file. */
  async open(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const client = this.client();
    if (editor?.document.languageId !== 'ptx' || client?.isRunning() !== true) {
      void vscode.window.showInformationMessage('This works in PTX files, while the server runs.');
      return;
    }
    const params = {
      textDocument: { uri: client.code2ProtocolConverter.asUri(editor.document.uri) },
      position: client.code2ProtocolConverter.asPosition(editor.selection.active),
    };
    const [found] = await client.sendRequest<FunctionReading[]>('ptx/reading', params);
    if (found === undefined) {
      void vscode.window.showInformationMessage('Put the cursor into a function with a body.');
      return;
    }
    const uri = readingUri(editor.document.uri, found.function);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Beside,
      preserveFocus: true,
      preview: true,
    });
    this.follow(editor);
  }

  /** Asks for every open reading again, after a restart of the server. */
  refreshAll(): void {
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.scheme === SCHEME) this.changed.fire(uri);
    }
  }

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    const client = this.client();
    if (!client?.isRunning()) return '// The server is not running.\n';
    const source = sourceOf(uri);
    if (!vscode.workspace.textDocuments.some((document) => document.uri.toString() === source.toString())) {
      return '// The file is not open.\n';
    }
    const params = {
      textDocument: { uri: client.code2ProtocolConverter.asUri(source) },
      function: uri.fragment,
    };
    try {
      const [found] = await client.sendRequest<FunctionReading[]>('ptx/reading', params, token);
      if (found === undefined) return `// There is no function ${uri.fragment} with a body any more.\n`;
      const lines = linesOf(found, client);
      this.shown.set(uri.toString(), lines);
      return lines.map((it) => `${it.text}\n`).join('');
    } catch (error) {
      return `// The server gave no reading: ${error instanceof Error ? error.message : String(error)}\n`;
    }
  }

  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    const source = sourceOf(document.uri);
    const links: vscode.DocumentLink[] = [];
    for (const it of this.shown.get(document.uri.toString()) ?? []) {
      for (const { range, line } of it.links) {
        links.push(new vscode.DocumentLink(range, source.with({ fragment: `L${line + 1}` })));
      }
      if (it.source === undefined) continue;
      const { range, uri, line } = it.source;
      links.push(new vscode.DocumentLink(range, uri.with({ fragment: `L${line + 1}` })));
    }
    return links;
  }

  provideDefinition(document: vscode.TextDocument, position: vscode.Position): vscode.Location[] {
    const line = this.shown.get(document.uri.toString())?.[position.line];
    return (line?.ranges ?? []).map((it) => new vscode.Location(sourceOf(document.uri), it));
  }

  /** The lines begin with numbers, so that their indentation does not fold them. */
  provideFoldingRanges(document: vscode.TextDocument): vscode.FoldingRange[] {
    const lines = this.shown.get(document.uri.toString()) ?? [];
    const found: vscode.FoldingRange[] = [];
    let open: { row: number; level: number }[] = [];
    for (const [row, { level }] of [...lines, { level: -1 }].entries()) {
      const ended = open.filter((it) => it.level >= level && it.row + 1 < row);
      found.push(...ended.map((it) => new vscode.FoldingRange(it.row, row - 1)));
      open = open.filter((it) => it.level < level);
      open.push({ row, level });
    }
    return found;
  }

  dispose(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    for (const disposable of this.disposables) disposable.dispose();
  }

  private refreshSoon(source: vscode.Uri): void {
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.scheme !== SCHEME || uri.query !== source.toString()) continue;
      const key = uri.toString();
      clearTimeout(this.timers.get(key));
      this.timers.set(
        key,
        setTimeout(() => {
          this.timers.delete(key);
          this.changed.fire(uri);
        }, REFRESH_DELAY_MS),
      );
    }
  }

  /** Marks what belongs to the line of the cursor, in the reading or in the file. */
  private follow(editor: vscode.TextEditor | undefined): void {
    if (editor === undefined || this.shown.size === 0) return;
    const { uri } = editor.document;
    const at = editor.selection.active.line;
    if (uri.scheme === SCHEME) {
      const line = this.shown.get(uri.toString())?.[at];
      this.decorate(uri, []);
      this.decorate(sourceOf(uri), line?.ranges ?? []);
      return;
    }
    for (const [key, lines] of this.shown) {
      const reading = vscode.Uri.parse(key, true);
      if (reading.query !== uri.toString()) continue;
      const ranges = lines.flatMap(({ ranges }, index) =>
        ranges.some((it) => it.start.line <= at && at <= it.end.line) ? [new vscode.Range(index, 0, index, 0)] : [],
      );
      this.decorate(uri, []);
      this.decorate(reading, ranges);
    }
  }

  /** Marks lines of a document where it is shown, and brings the first of them into view. */
  private decorate(uri: vscode.Uri, ranges: vscode.Range[]): void {
    this.marked.set(uri.toString(), ranges);
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.toString() !== uri.toString()) continue;
      editor.setDecorations(this.mark, ranges);
      const [first] = ranges;
      if (first !== undefined) editor.revealRange(first, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }
}

/** The lines of the document, with the lines of PTX on the left, and further ones and the source on the right. */
function linesOf(reading: FunctionReading, client: BaseLanguageClient): Shown[] {
  const plain = (text: string): Shown => ({ text, level: 0, ranges: [], links: [] });
  const lines = [
    plain('// For reading: this does not compile. Lines of the PTX are on the left.'),
    plain(reading.heading),
  ];
  const rows = reading.lines.map((it) => {
    const ranges = it.ranges.map((range) => client.protocol2CodeConverter.asRange(range));
    const runs = runsOf(ranges);
    const lead = it.lead?.start.line ?? -1;
    return { ...it, ranges, runs, own: runs.findIndex(([first, last]) => first <= lead && lead <= last) };
  });
  const width = Math.max(0, ...rows.map((it) => wordsOf(it.runs[it.own]).length));
  let file: string | undefined;
  for (const it of rows) {
    const shown: Shown = { text: '', level: it.indent + 1, ranges: it.ranges, links: [] };
    const link = (words: string): vscode.Range => {
      const start = shown.text.length;
      shown.text += words;
      return new vscode.Range(lines.length, start, lines.length, shown.text.length);
    };
    const own = it.runs[it.own];
    shown.text = ' '.repeat(width - wordsOf(own).length);
    if (own !== undefined) shown.links.push({ range: link(wordsOf(own)), line: own[0] });
    shown.text += ' '.repeat(2 + LEVEL * Math.min(it.indent, MAX_LEVELS)) + it.text;
    const others = it.runs.filter((_, index) => index !== it.own);
    if (others.length > 0 || it.source !== null) shown.text = `${shown.text.padEnd(COLUMN)}  // `;
    const listed = others.length > MAX_RUNS + 1 ? MAX_RUNS : others.length;
    for (const [index, run] of others.slice(0, listed).entries()) {
      shown.text += index === 0 ? 'also ' : ', ';
      shown.links.push({ range: link(wordsOf(run)), line: run[0] });
    }
    if (listed < others.length) shown.text += `, … ${others.length - listed} more`;
    if (it.source !== null) {
      const { uri, path, line } = it.source;
      if (others.length > 0) shown.text += '  ';
      const name = path === file ? '' : (path.split(/[/\\]/).pop() ?? path);
      file = path;
      const range = link(`${name}:${line + 1}`);
      if (uri !== null) shown.source = { range, uri: client.protocol2CodeConverter.asUri(uri), line };
    }
    lines.push(shown);
  }
  return lines;
}

/** Lines as numbers that count from 1. */
function wordsOf(run: [number, number] | undefined): string {
  if (run === undefined) return '';
  const [first, last] = run;
  return first === last ? String(first + 1) : `${first + 1}-${last + 1}`;
}

/** The lines of statements, neighbouring ones together; first and last, counted from 0. */
function runsOf(ranges: vscode.Range[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const { start, end } of ranges) {
    const last = runs.at(-1);
    if (last !== undefined && start.line <= last[1] + 1) last[1] = Math.max(last[1], end.line);
    else runs.push([start.line, end.line]);
  }
  return runs;
}

function readingUri(source: vscode.Uri, name: string): vscode.Uri {
  // The ending decides the language: setting it afterwards would close the document and open it again.
  const file = source.path.split('/').pop() ?? 'file';
  const stem = file.replace(/\.ptx$/, '');
  return vscode.Uri.from({ scheme: SCHEME, path: `/${stem}.ptx-reading`, query: source.toString(), fragment: name });
}

function sourceOf(reading: vscode.Uri): vscode.Uri {
  return vscode.Uri.parse(reading.query, true);
}

function editorOf(uri: vscode.Uri): vscode.TextEditor | undefined {
  return vscode.window.visibleTextEditors.find((it) => it.document.uri.toString() === uri.toString());
}
