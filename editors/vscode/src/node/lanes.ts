/** The view of lanes in the debugger: the line of each lane of the warp, and its values of some registers. */

import * as vscode from 'vscode';
import type { FromPage, LaneTable, Lanes, ToPage } from '../views/messages';
import { page } from '../views/page';
import { DEBUG_TYPE, focusLane } from './debugger';

/** A message of the debug adapter. */
interface Message {
  type: string;
  event?: string;
  command?: string;
}

/** The view, as the manifest names it. */
const VIEW = 'ptx-analyzer.lanes';

export class LanesView implements vscode.WebviewViewProvider, vscode.Disposable {
  private view: vscode.WebviewView | undefined;
  /** Registers and expressions that are shown at every stop; the others are the registers of the statement. */
  private readonly added: string[] = [];
  private asked = 0;
  private shown: Lanes = { kind: 'lanes', table: undefined, added: [] };
  private readonly disposables: vscode.Disposable[];

  constructor(private readonly extension: vscode.Uri) {
    this.disposables = [
      vscode.window.registerWebviewViewProvider(VIEW, this),
      vscode.debug.onDidChangeActiveStackItem(() => void this.refresh()),
      // Another lane is shown, or the user has changed a value.
      vscode.debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, {
        createDebugAdapterTracker: () => ({
          onDidSendMessage: ({ event, command }: Message) => {
            if (event === 'invalidated' || command === 'setVariable' || command === 'setExpression')
              void this.refresh();
          },
        }),
      }),
    ];
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    const dist = vscode.Uri.joinPath(this.extension, 'dist');
    view.webview.options = { enableScripts: true, localResourceRoots: [dist] };
    view.webview.html = page(view.webview, dist, 'Lanes');
    view.webview.onDidReceiveMessage((message: FromPage) => void this.hear(message));
    view.onDidChangeVisibility(() => void this.refresh());
    view.onDidDispose(() => (this.view = undefined));
  }

  /** Adds a column for the register of an item of the Variables view. */
  async add(item: unknown): Promise<void> {
    const { evaluateName } = (item as { variable?: { evaluateName?: unknown } } | undefined)?.variable ?? {};
    if (typeof evaluateName !== 'string') return;
    await vscode.commands.executeCommand(`${VIEW}.focus`);
    await this.addExpression(evaluateName);
  }

  private async addExpression(text: string): Promise<void> {
    if (text !== '' && !this.added.includes(text)) this.added.push(text);
    await this.refresh();
  }

  /** Asks the adapter about the frame that the editor shows. */
  private async refresh(): Promise<void> {
    if (this.view?.visible !== true) return;
    this.asked += 1;
    const asked = this.asked;
    const item = vscode.debug.activeStackItem;
    let table: LaneTable | undefined;
    if (item instanceof vscode.DebugStackFrame && item.session.type === DEBUG_TYPE) {
      try {
        const params = { frameId: item.frameId, expressions: this.added };
        table = (await item.session.customRequest('ptx/lanes', params)) as LaneTable;
      } catch {
        // The kernel has continued in the meantime.
      }
    }
    if (asked !== this.asked) return;
    this.shown = { kind: 'lanes', table, added: [...this.added] };
    this.say(this.shown);
  }

  dispose(): void {
    for (const disposable of this.disposables) disposable.dispose();
  }

  private async hear(message: FromPage): Promise<void> {
    switch (message.kind) {
      case 'ready':
        this.say(this.shown);
        await this.refresh();
        break;
      case 'lane':
        await focusLane(message.lane);
        break;
      case 'line':
        await this.reveal(message.line);
        break;
      case 'add':
        await this.addExpression(message.text.trim());
        break;
      case 'remove':
        this.added.splice(0, this.added.length, ...this.added.filter((name) => name !== message.name));
        await this.refresh();
        break;
    }
  }

  /** Puts the cursor on a line of the kernel, counted from 0. */
  private async reveal(line: number): Promise<void> {
    const program: unknown = vscode.debug.activeDebugSession?.configuration.program;
    if (typeof program !== 'string') return;
    const start = new vscode.Position(line, 0);
    await vscode.window.showTextDocument(vscode.Uri.file(program), { selection: new vscode.Range(start, start) });
  }

  private say(message: ToPage): void {
    void this.view?.webview.postMessage(message);
  }
}
