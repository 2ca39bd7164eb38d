/** The read-only document that shows the syntax tree of a PTX file, and follows its edits. */

import * as vscode from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient';

const SCHEME = 'ptx-syntax-tree';
/** Typing fast should not ask for a tree per letter. */
const REFRESH_DELAY_MS = 200;

/** Parameters of the request `ptx/viewSyntaxTree`; its result is the tree as text. */
interface ViewSyntaxTreeParams {
  textDocument: { uri: string };
  range?: { start: vscode.Position; end: vscode.Position };
}

/** Provides the tree documents. The client comes and goes with the server, so it is asked for each time. */
export class SyntaxTreeView implements vscode.TextDocumentContentProvider {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly disposables: vscode.Disposable[] = [];
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
  /** By source document: the {@link rangeKey} of the tree that was last given. */
  private readonly shownRanges = new Map<string, string>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly client: () => BaseLanguageClient | undefined) {
    this.disposables.push(
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidChangeTextDocument((event) => this.refreshSoon(event.document.uri)),
      vscode.window.onDidChangeTextEditorSelection((event) => {
        // A mere move of the cursor changes nothing; a selection that comes, grows or goes does.
        const source = event.textEditor.document.uri;
        if (this.shownRanges.get(source.toString()) !== rangeKey(event.selections[0])) this.refreshSoon(source);
      }),
    );
  }

  /** Opens the tree of the active PTX file beside it. */
  async open(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId !== 'ptx') {
      void vscode.window.showInformationMessage('Open a PTX file to see its syntax tree.');
      return;
    }
    const uri = treeUri(editor.document.uri);
    const document = await vscode.workspace.openTextDocument(uri);
    this.changed.fire(uri); // An already open tree may be of an earlier selection.
    await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Beside,
      preserveFocus: true,
      preview: true,
    });
  }

  /** Asks for every open tree again, after a restart of the server. */
  refreshAll(): void {
    for (const document of vscode.workspace.textDocuments) {
      if (document.uri.scheme === SCHEME) this.changed.fire(document.uri);
    }
  }

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    const client = this.client();
    if (!client?.isRunning()) return 'The server is not running.\n';
    const source = vscode.Uri.parse(uri.query, true);
    if (!vscode.workspace.textDocuments.some((document) => document.uri.toString() === source.toString())) {
      return 'The file is not open.\n';
    }
    const params: ViewSyntaxTreeParams = { textDocument: { uri: client.code2ProtocolConverter.asUri(source) } };
    const selection = vscode.window.visibleTextEditors.find(
      (e) => e.document.uri.toString() === source.toString(),
    )?.selection;
    this.shownRanges.set(source.toString(), rangeKey(selection));
    if (selection !== undefined && !selection.isEmpty) {
      params.range = { start: selection.start, end: selection.end };
    }
    try {
      return await client.sendRequest<string>('ptx/viewSyntaxTree', params, token);
    } catch (error) {
      return `The server gave no tree: ${error instanceof Error ? error.message : String(error)}\n`;
    }
  }

  dispose(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    for (const disposable of this.disposables) disposable.dispose();
  }

  private refreshSoon(source: vscode.Uri): void {
    if (source.scheme === SCHEME) return;
    const tree = treeUri(source);
    const key = tree.toString();
    if (!vscode.workspace.textDocuments.some((document) => document.uri.toString() === key)) return;
    clearTimeout(this.timers.get(key));
    this.timers.set(
      key,
      setTimeout(() => {
        this.timers.delete(key);
        this.changed.fire(tree);
      }, REFRESH_DELAY_MS),
    );
  }
}

function treeUri(source: vscode.Uri): vscode.Uri {
  const name = source.path.split('/').pop() ?? 'file';
  return vscode.Uri.from({ scheme: SCHEME, path: `/${name} (syntax tree)`, query: source.toString() });
}

function rangeKey(selection: vscode.Selection | undefined): string {
  if (selection === undefined || selection.isEmpty) return 'all';
  const { start, end } = selection;
  return `${start.line}:${start.character}-${end.line}:${end.character}`;
}
