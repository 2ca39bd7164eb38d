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

/** Languages whose files may have PTX in strings, and those of CUDA, of which this is likely. */
const HOSTS = new Set(['cuda', 'cuda-cpp', 'c', 'cpp', 'python', 'rust', 'llvm']);
const CUDA = /\.cuh?$/;
/** What assembler in a string needs in these languages. */
const ASSEMBLER = /\b(?:__)?asm(?:__)?\b|inline_asm|inline_ptx/;
/** Longer texts are not looked through, in lines. */
const LONG = 20_000;

/** Shows a {@link ServerState} while a file with PTX is in front, and whenever something is wrong. */
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
      vscode.window.onDidChangeActiveTextEditor(() => this.show(this.state)),
      vscode.workspace.onDidSaveTextDocument(() => this.updateVisibility()),
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
            ...(this.inFront() === 'host' ? ['It checks and explains the PTX in strings of this file.'] : []),
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
    if (this.inFront() !== undefined || this.state.kind === 'error') this.item.show();
    else this.item.hide();
  }

  /** Whether the file in front is PTX, or one of another language that has PTX in strings. */
  private inFront(): 'ptx' | 'host' | undefined {
    const document = vscode.window.activeTextEditor?.document;
    if (document === undefined) return undefined;
    if (document.languageId === 'ptx') return 'ptx';
    if (CUDA.test(document.uri.path)) return 'host';
    const isHost = HOSTS.has(document.languageId) && document.lineCount <= LONG;
    return isHost && ASSEMBLER.test(document.getText()) ? 'host' : undefined;
  }

  private async showMenu(): Promise<void> {
    const inFront = this.inFront();
    const ready = this.state.kind === 'ready';
    const ofFile: Action[] = [
      { label: '$(graph) Show the registers', command: 'ptx-analyzer.showRegisters' },
      { label: '$(type-hierarchy) Show the control flow', command: 'ptx-analyzer.showControlFlow' },
      { label: '$(map) Show the kernel map', command: 'ptx-analyzer.showKernel' },
      { label: '$(open-preview) Read this kernel', command: 'ptx-analyzer.readKernel' },
      ...(this.runsPrograms
        ? [{ label: '$(chip) Show the machine code', command: 'ptx-analyzer.showMachineCode' }]
        : []),
      { label: '$(table) Compare targets', command: 'ptx-analyzer.compareTargets' },
      ...(this.runsPrograms
        ? [
            { label: '$(diff) Compare with another build…', command: 'ptx-analyzer.compareWith' },
            { label: '$(run) Run ptxas now', command: 'ptx-analyzer.runPtxas' },
          ]
        : []),
      { label: '$(list-tree) Show the syntax tree', command: 'ptx-analyzer.showSyntaxTree' },
    ];
    const actions: Action[] = [
      ...(ready && inFront === 'ptx' ? ofFile : []),
      ...(ready && inFront === 'host'
        ? [{ label: '$(go-to-file) Go to generated PTX', command: 'ptx-analyzer.goToPtx' }]
        : []),
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
