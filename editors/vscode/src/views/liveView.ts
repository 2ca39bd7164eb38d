/** A panel beside the editor that shows something about the PTX file in front, and keeps it up to date. */

import * as vscode from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient';
import { isDark } from '../theme';
import type { Column, Content, FromPage, More, ToPage } from './messages';
import { page } from './page';

/** How long nothing must be typed before a view is brought up to date. */
const IDLE_MS = 800;
/** The cursor is followed sooner: a click should have its answer at once. */
const FOLLOW_MS = 120;

/** What a view is about. */
export interface Subject {
  document: vscode.TextDocument;
  /** Where the cursor was last. */
  position: vscode.Position;
  /** The row that was chosen in the page, until the cursor leaves it. */
  chosen: string | undefined;
  dark: boolean;
  /** The room for a drawing, in pixels. Not known before the page is there. */
  size: Size | undefined;
}

interface Size {
  width: number;
  height: number;
}

/** How a kind of view is named and where its content comes from. */
export interface ViewKind {
  /** The type of the panel, by which the editor knows it. */
  type: string;
  title: string;
  /** Asks the server. */
  content(client: BaseLanguageClient, subject: Subject, token: vscode.CancellationToken): Promise<Content>;
  /** Whether the content stays as it is for the new place of the cursor; without this it is asked for again. */
  stays?(subject: Subject): boolean;
  /** Where a chosen row is in the file, if that is a place. */
  place?(id: string): vscode.Position | undefined;
  /** Asks for what did not come with the content, piece by piece. */
  rest?(client: BaseLanguageClient, token: vscode.CancellationToken): AsyncIterable<More>;
  /** The content as text, for the clipboard. */
  text?(content: Content): string;
  /** Lets the user choose what else is shown; whether the view is to be asked for again. */
  beside?(client: BaseLanguageClient, subject: Subject): Promise<boolean>;
  /** Whether its drawing is made for the size of the panel. */
  sized?: boolean;
  /** Notes the columns of machine code that are not to be shown. */
  hide?(columns: readonly Column[]): void;
  /** Marks in the file what is shown; without arguments nothing is. */
  mark?(document?: vscode.TextDocument, content?: Content): void;
  dispose?(): void;
}

/** At most one panel of a kind; it follows the PTX editor in front. */
export class LiveView {
  private panel: vscode.WebviewPanel | undefined;
  private subject: Subject | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asking: vscode.CancellationTokenSource | undefined;
  private size: Size | undefined;
  private readonly disposables: vscode.Disposable[] = [];
  /** What the page shows, for tests. */
  shown: Content | undefined;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly client: () => BaseLanguageClient | undefined,
    private readonly kind: ViewKind,
  ) {
    this.disposables.push(
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor?.document.languageId === 'ptx') this.follow(editor);
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor.document.languageId === 'ptx') this.follow(textEditor);
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document === this.subject?.document) this.refreshIn(IDLE_MS);
      }),
      vscode.workspace.onDidSaveTextDocument((document) => {
        if (document === this.subject?.document) this.refreshIn(0);
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        // The server hears of it at the same time and has to take it in.
        if (event.affectsConfiguration('ptx-analyzer')) this.refreshIn(IDLE_MS);
      }),
      vscode.window.onDidChangeActiveColorTheme(() => this.refreshIn(0)),
    );
  }

  /** Opens the panel beside the editor, for a place in a file if one is given. */
  async open(uri?: vscode.Uri, position?: vscode.Position): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    let document = editor?.document;
    if (uri !== undefined) document = await vscode.workspace.openTextDocument(uri);
    if (document?.languageId !== 'ptx') {
      void vscode.window.showInformationMessage(`Open a PTX file to see its ${this.kind.title.toLowerCase()}.`);
      return;
    }
    const at = position ?? (editor?.document === document ? editor.selection.active : new vscode.Position(0, 0));
    this.subject = { document, position: at, chosen: undefined, dark: isDark(), size: this.size };
    if (this.panel === undefined) this.panel = this.create();
    else this.panel.reveal(undefined, true);
    this.refreshIn(0);
  }

  /** Asks again, after a restart of the server or when `ptxas` has been run. */
  refresh(): void {
    this.refreshIn(0);
  }

  dispose(): void {
    this.panel?.dispose();
    this.cancel();
    this.kind.dispose?.();
    for (const disposable of this.disposables) disposable.dispose();
  }

  private create(): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel(
      this.kind.type,
      this.kind.title,
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      {
        enableScripts: true,
        enableFindWidget: true,
        localResourceRoots: [vscode.Uri.joinPath(this.extension, 'dist')],
      },
    );
    panel.webview.html = page(panel.webview, vscode.Uri.joinPath(this.extension, 'dist'), this.kind.title);
    panel.webview.onDidReceiveMessage((message: FromPage) => this.hear(message));
    panel.onDidChangeViewState(() => {
      // What is hidden is not kept up to date.
      if (panel.visible) this.refreshIn(0);
    });
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.shown = undefined;
      this.size = undefined;
      this.cancel();
      this.kind.mark?.();
    });
    return panel;
  }

  private hear(message: FromPage): void {
    switch (message.kind) {
      case 'ready':
        // What was said before the page could hear is lost: the content, and where the cursor is.
        this.show();
        break;
      case 'choose': {
        if (this.subject === undefined) return;
        this.subject = { ...this.subject, chosen: message.id };
        const place = this.kind.place?.(message.id);
        if (place !== undefined) void this.reveal(place.line);
        this.refreshIn(0);
        break;
      }
      case 'copy': {
        const text = this.shown === undefined ? undefined : this.kind.text?.(this.shown);
        if (text !== undefined) void vscode.env.clipboard.writeText(text);
        break;
      }
      case 'beside':
        void this.beside();
        break;
      case 'size': {
        const { width, height } = message;
        const isNew = this.size?.width !== width || this.size.height !== height;
        this.size = { width, height };
        if (isNew && this.kind.sized === true) this.refreshIn(0);
        break;
      }
      case 'act': {
        const action = this.shown?.actions?.[message.index];
        // Of the panel no editor is in front, so the file is named.
        if (action !== undefined) void vscode.commands.executeCommand(action.command, this.subject?.document.uri);
        break;
      }
      case 'hide':
        this.kind.hide?.(message.columns);
        break;
      case 'line':
        void this.reveal(message.line);
        break;
    }
  }

  /** Puts the cursor of the file on a line, counted from 0. */
  private async reveal(line: number): Promise<void> {
    const document = this.subject?.document;
    if (document === undefined || !Number.isInteger(line) || line < 0 || line >= document.lineCount) return;
    const open = vscode.window.visibleTextEditors.find((it) => it.document === document);
    const start = new vscode.Position(line, document.lineAt(line).firstNonWhitespaceCharacterIndex);
    const editor = await vscode.window.showTextDocument(document, {
      viewColumn: open?.viewColumn ?? vscode.ViewColumn.One,
      selection: new vscode.Range(start, start),
    });
    editor.revealRange(new vscode.Range(start, start), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  /** Lets the user choose what else is shown. */
  async beside(): Promise<void> {
    const client = this.client();
    if (this.subject === undefined || client?.isRunning() !== true) return;
    if ((await this.kind.beside?.(client, this.subject)) === true) this.refreshIn(0);
  }

  private follow(editor: vscode.TextEditor): void {
    if (this.panel === undefined) return;
    const position = editor.selection.active;
    const before = this.subject;
    if (before?.document === editor.document && before.position.line === position.line) return;
    // A chosen row stays until the cursor goes elsewhere than to that row.
    const chosen = before?.document === editor.document ? before.chosen : undefined;
    this.subject = { document: editor.document, position, chosen, dark: isDark(), size: this.size };
    if (chosen !== undefined && this.kind.place?.(chosen)?.line !== position.line) this.subject.chosen = undefined;
    this.say({ kind: 'cursor', line: position.line });
    if (this.kind.stays?.(this.subject) !== true) this.refreshIn(FOLLOW_MS);
  }

  private refreshIn(delay: number): void {
    if (this.panel?.visible !== true) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask(), delay);
  }

  private async ask(): Promise<void> {
    const client = this.client();
    const { subject } = this;
    if (this.panel === undefined || subject === undefined) return;
    this.cancel();
    const asking = new vscode.CancellationTokenSource();
    this.asking = asking;
    const heading = `${this.kind.title}: ${subject.document.uri.path.split('/').pop() ?? ''}`;
    let content: Content;
    if (client?.isRunning() !== true) {
      content = { kind: 'content', heading, note: 'The server is not running.', rows: [] };
    } else {
      try {
        content = await this.kind.content(client, { ...subject, dark: isDark(), size: this.size }, asking.token);
      } catch (error) {
        if (asking.token.isCancellationRequested) return;
        const words = error instanceof Error ? error.message : String(error);
        content = { kind: 'content', heading, note: `The server gave no answer: ${words}`, rows: [] };
      }
    }
    if (asking.token.isCancellationRequested) return;
    this.shown = content;
    this.show();
    this.kind.mark?.(subject.document, content);
    if (client === undefined || this.kind.rest === undefined) return;
    try {
      for await (const more of this.kind.rest(client, asking.token)) {
        if (this.asking !== asking) return;
        content.code?.[more.list]?.rows.push(...more.rows);
        this.say(more);
      }
      this.kind.mark?.(subject.document, content);
    } catch {
      // The server has ended or has something newer; then it is asked again.
    }
  }

  /** Shows the content in the page, and in it the place of the cursor, which may have moved since it was asked for. */
  private show(): void {
    if (this.shown === undefined || this.subject === undefined) return;
    this.say(this.shown);
    this.say({ kind: 'cursor', line: this.subject.position.line });
  }

  private say(message: ToPage): void {
    void this.panel?.webview.postMessage(message);
  }

  private cancel(): void {
    clearTimeout(this.timer);
    this.asking?.cancel();
    this.asking?.dispose();
    this.asking = undefined;
  }
}
