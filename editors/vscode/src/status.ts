/** The status bar item: says how the server is, and opens a menu of what can be done. */

import * as vscode from 'vscode';

/** How the server is. */
export type ServerState =
  | { kind: 'stopped' }
  | { kind: 'starting' }
  | { kind: 'ready'; version: string; path: string | undefined }
  | { kind: 'error'; message: string };

interface Action extends vscode.QuickPickItem {
  command: string;
}

/** Shows a {@link ServerState} while a PTX file is in front, and whenever something is wrong. */
export class Status {
  private readonly item: vscode.StatusBarItem;
  private readonly disposables: vscode.Disposable[] = [];
  private state: ServerState = { kind: 'stopped' };
  /** What the server is doing, by the token of its progress. */
  private readonly work = new Map<string | number, string>();

  constructor(private readonly runsPrograms: boolean) {
    this.item = vscode.window.createStatusBarItem('ptx-analyzer.status', vscode.StatusBarAlignment.Left, 0);
    this.item.name = 'ptx-analyzer';
    this.item.command = 'ptx-analyzer.showMenu';
    this.disposables.push(
      this.item,
      vscode.window.onDidChangeActiveTextEditor(() => this.updateVisibility()),
      vscode.commands.registerCommand('ptx-analyzer.showMenu', () => this.showMenu()),
    );
    this.show(this.state);
  }

  /** The state that is shown. */
  get current(): ServerState {
    return this.state;
  }

  /** What the server is doing besides answering, such as reading the workspace. */
  get busy(): readonly string[] {
    return [...this.work.values()];
  }

  /** Notes that the server has begun something, or is done with it when there is no title. */
  progress(token: string | number, title: string | undefined): void {
    if (title === undefined) this.work.delete(token);
    else this.work.set(token, title);
    this.show(this.state);
  }

  show(state: ServerState): void {
    this.state = state;
    if (state.kind !== 'ready') this.work.clear();
    const { item } = this;
    item.backgroundColor = undefined;
    switch (state.kind) {
      case 'stopped':
        item.text = '$(circle-slash) ptx-analyzer';
        item.tooltip = 'The server is stopped.';
        break;
      case 'starting':
        item.text = '$(loading~spin) ptx-analyzer';
        item.tooltip = 'The server is starting.';
        break;
      case 'ready':
        item.text = this.work.size > 0 ? '$(sync~spin) ptx-analyzer' : '$(check) ptx-analyzer';
        item.tooltip = new vscode.MarkdownString(
          [
            `ptx-analyzer ${state.version} is running.`,
            ...this.work.values(),
            state.path === undefined ? 'It runs in this browser.' : `\`${state.path}\``,
          ].join('\n\n'),
        );
        break;
      case 'error':
        item.text = '$(error) ptx-analyzer';
        item.tooltip = state.message;
        item.backgroundColor = new vscode.ThemeColor('statusBarItem.errorBackground');
        break;
    }
    item.accessibilityInformation = { label: `ptx-analyzer: ${state.kind}` };
    this.updateVisibility();
  }

  dispose(): void {
    for (const disposable of this.disposables) disposable.dispose();
  }

  private updateVisibility(): void {
    const inPtx = vscode.window.activeTextEditor?.document.languageId === 'ptx';
    if (inPtx || this.state.kind === 'error') this.item.show();
    else this.item.hide();
  }

  private async showMenu(): Promise<void> {
    const inPtx = vscode.window.activeTextEditor?.document.languageId === 'ptx';
    const ready = this.state.kind === 'ready';
    const ofFile: Action[] = [
      { label: '$(graph) Show the registers', command: 'ptx-analyzer.showRegisters' },
      { label: '$(type-hierarchy) Show the control flow', command: 'ptx-analyzer.showControlFlow' },
      { label: '$(checklist) Compare targets', command: 'ptx-analyzer.compareTargets' },
      ...(this.runsPrograms ? [{ label: '$(run) Run ptxas now', command: 'ptx-analyzer.runPtxas' }] : []),
      { label: '$(list-tree) Show the syntax tree', command: 'ptx-analyzer.showSyntaxTree' },
    ];
    const actions: Action[] = [
      ...(ready && inPtx ? ofFile : []),
      ...(ready ? [{ label: '$(book) Explain a word', command: 'ptx-analyzer.explainWord' }] : []),
      { label: '$(debug-restart) Restart the server', command: 'ptx-analyzer.restartServer' },
      { label: '$(output) Show the log', command: 'ptx-analyzer.showLog' },
      { label: '$(settings-gear) Open the settings', command: 'ptx-analyzer.openSettings' },
    ];
    if (this.state.kind === 'error' && this.runsPrograms) {
      actions.unshift({ label: '$(question) How to install the server', command: 'ptx-analyzer.openInstallHelp' });
    }
    const headline = {
      stopped: 'The server is stopped.',
      starting: 'The server is starting.',
      ready: this.work.size > 0 ? this.busy.join(', ') : 'The server is running.',
      error: this.state.kind === 'error' ? this.state.message : '',
    }[this.state.kind];
    const chosen = await vscode.window.showQuickPick(actions, { title: 'ptx-analyzer', placeHolder: headline });
    if (chosen) await vscode.commands.executeCommand(chosen.command);
  }
}
