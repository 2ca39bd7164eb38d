/** Marks in the text that stay until it changes: live ranges and slices of registers, and what came from a source line. */

import * as vscode from 'vscode';
import type { Location } from 'vscode-languageclient';
import type { BaseLanguageClient } from 'vscode-languageclient';
import type { LiveRange, NameAccess, PositionParams, SameSourceLine, Slice } from './protocol';

/** How long the status bar says what has been marked. */
const MESSAGE_MS = 10_000;

const ruler = (color: string): vscode.DecorationRenderOptions => ({
  overviewRulerColor: new vscode.ThemeColor(color),
  overviewRulerLane: vscode.OverviewRulerLane.Left,
});

export class Marks {
  private readonly live = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
    // The ground alone is hard to see in some themes.
    borderColor: new vscode.ThemeColor('focusBorder'),
    borderStyle: 'solid',
    borderWidth: '0 0 0 2px',
    ...ruler('editorOverviewRuler.rangeHighlightForeground'),
  });
  private readonly written = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor('editor.wordHighlightStrongBackground'),
    ...ruler('editorOverviewRuler.wordHighlightStrongForeground'),
  });
  private readonly read = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor('editor.wordHighlightBackground'),
    ...ruler('editorOverviewRuler.wordHighlightForeground'),
  });
  private readonly disposables: vscode.Disposable[] = [];
  /** What is marked, for tests. */
  current: { uri: vscode.Uri; ranges: vscode.Range[] } | undefined;

  constructor(private readonly client: () => BaseLanguageClient | undefined) {
    this.disposables.push(
      this.live,
      this.written,
      this.read,
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const marked = this.current?.uri.toString() === document.uri.toString();
        if (marked && contentChanges.length > 0) this.clear();
      }),
    );
  }

  /** Marks where the value of the register at the cursor is needed. */
  async showLiveRange(): Promise<void> {
    const asked = this.ask();
    if (asked === undefined) return;
    const { client, editor, params } = asked;
    const found = await client.sendRequest<LiveRange | null>('ptx/liveRange', params);
    if (found === null) {
      void vscode.window.showInformationMessage('Put the cursor on a register to see where its value is needed.');
      return;
    }
    const ranges = found.ranges.map((it) => client.protocol2CodeConverter.asRange(it));
    this.mark(editor, ranges);
    const mark = (type: vscode.TextEditorDecorationType, places: LiveRange['uses']) =>
      editor.setDecorations(
        type,
        places.map((it) => client.protocol2CodeConverter.asRange(it)),
      );
    mark(this.written, found.definitions);
    mark(this.read, found.uses);
    const lines = ranges.reduce((sum, it) => sum + it.end.line - it.start.line + 1, 0);
    const where = found.crossesPeak ? 'also at the peak' : 'not at the peak';
    say(`${found.register}: live in ${lines} ${lines === 1 ? 'line' : 'lines'}, ${where}`);
  }

  /** Marks what the value of the register at the cursor was computed from, or what is computed from it. */
  async showSlice(direction: 'backward' | 'forward'): Promise<void> {
    const asked = this.ask();
    if (asked === undefined) return;
    const { client, editor, params } = asked;
    const found = await client.sendRequest<Slice | null>('ptx/slice', params);
    if (found === null) {
      void vscode.window.showInformationMessage('Put the cursor on a register in an instruction to follow its value.');
      return;
    }
    const convert = (all: Slice['uses']) => all.map((it) => client.protocol2CodeConverter.asRange(it));
    const ranges = convert(found[direction]);
    this.mark(editor, ranges);
    editor.setDecorations(this.written, convert(found.definitions));
    editor.setDecorations(this.read, convert(direction === 'forward' ? found.uses : [found.origin]));
    const count = `${ranges.length} ${ranges.length === 1 ? 'instruction' : 'instructions'}`;
    say(
      direction === 'backward'
        ? `${found.register} is computed from ${count}`
        : `${count} ${ranges.length === 1 ? 'is' : 'are'} computed from ${found.register}`,
    );
  }

  /** Lists the references of the name at the cursor and says which of them read and which write. */
  async showAccesses(): Promise<void> {
    const asked = this.ask();
    if (asked === undefined) return;
    const { client, params } = asked;
    const found = await client.sendRequest<NameAccess[]>('ptx/registerAccesses', params);
    if (found.length === 0) {
      void vscode.window.showInformationMessage('Put the cursor on a name to list its references.');
      return;
    }
    const icons = { declaration: '$(symbol-variable)', write: '$(edit)', read: '$(eye)' };
    const documents = new Map<string, vscode.TextDocument>();
    for (const { location } of found) {
      const uri = client.protocol2CodeConverter.asUri(location.uri);
      if (!documents.has(location.uri)) documents.set(location.uri, await vscode.workspace.openTextDocument(uri));
    }
    const all = found.flatMap((it) => {
      const document = documents.get(it.location.uri);
      if (document === undefined) return [];
      const location = client.protocol2CodeConverter.asLocation(it.location);
      const line = location.range.start.line;
      const name = document.getText(location.range);
      return {
        label: `${icons[it.access]} ${it.access} ${name}`,
        description: `${vscode.workspace.asRelativePath(location.uri)}:${line + 1}${it.otherValue ? ', another value' : ''}`,
        detail: document.lineAt(line).text.trim(),
        location,
        name,
        access: it.access,
      };
    });
    const items = await chosenFrom(all);
    if (items === undefined) return;
    const reveal = (it: (typeof items)[number], preserveFocus: boolean) =>
      vscode.window.showTextDocument(it.location.uri, { selection: it.location.range, preserveFocus, preview: true });
    const chosen = await vscode.window.showQuickPick(items, {
      title: 'Reads and writes',
      matchOnDescription: true,
      matchOnDetail: true,
      onDidSelectItem: (it) => void reveal(it as (typeof items)[number], true),
    });
    if (chosen !== undefined) await reveal(chosen, false);
  }

  /** Marks the instructions that came from the source line of the one at the cursor, or, in a source file, goes to them. */
  async showSourceLine(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor !== undefined && editor.document.languageId !== 'ptx') {
      await this.fromSource(editor);
      return;
    }
    const asked = this.ask();
    if (asked === undefined) return;
    const { client, params } = asked;
    const found = await client.sendRequest<SameSourceLine | null>('ptx/sameSourceLine', params);
    if (found === null) {
      void vscode.window.showInformationMessage('Put the cursor on the name of an instruction that has a .loc.');
      return;
    }
    const ranges = found.ranges.map((it) => client.protocol2CodeConverter.asRange(it));
    this.mark(asked.editor, ranges);
    const runs = ranges.length === 1 ? 'one place' : `${ranges.length} places`;
    say(`${found.path}:${found.line + 1} became instructions in ${runs}`);
  }

  /** Takes the marks away. */
  clear(): void {
    this.current = undefined;
    for (const editor of vscode.window.visibleTextEditors) {
      for (const type of [this.live, this.written, this.read]) editor.setDecorations(type, []);
    }
    void vscode.commands.executeCommand('setContext', 'ptx-analyzer.marked', false);
  }

  dispose(): void {
    for (const disposable of this.disposables) disposable.dispose();
  }

  private mark(editor: vscode.TextEditor, ranges: vscode.Range[]): void {
    this.clear();
    editor.setDecorations(this.live, ranges);
    this.current = { uri: editor.document.uri, ranges };
    void vscode.commands.executeCommand('setContext', 'ptx-analyzer.marked', true);
  }

  private ask(): { client: BaseLanguageClient; editor: vscode.TextEditor; params: PositionParams } | undefined {
    const editor = vscode.window.activeTextEditor;
    const client = this.client();
    if (editor?.document.languageId !== 'ptx' || client?.isRunning() !== true) {
      void vscode.window.showInformationMessage('This works in PTX files, while the server runs.');
      return undefined;
    }
    const params = {
      textDocument: { uri: client.code2ProtocolConverter.asUri(editor.document.uri) },
      position: client.code2ProtocolConverter.asPosition(editor.selection.active),
    };
    return { client, editor, params };
  }

  private async fromSource(editor: vscode.TextEditor): Promise<void> {
    const client = this.client();
    if (client?.isRunning() !== true) {
      void vscode.window.showInformationMessage('The server is not running; it starts with the first PTX file.');
      return;
    }
    const { document, selection } = editor;
    const params = { uri: client.code2ProtocolConverter.asUri(document.uri), line: selection.active.line };
    const found = await client.sendRequest<Location[]>('ptx/fromSourceLine', params);
    if (found.length === 0) {
      void vscode.window.showInformationMessage('No PTX file that is known has instructions of this line.');
      return;
    }
    const places = found.map((it) => client.protocol2CodeConverter.asLocation(it));
    await vscode.commands.executeCommand('editor.action.goToLocations', document.uri, selection.active, places, 'peek');
  }
}

/** Of the references of many registers, such as those of `%r<400>`, those of the one that the user chooses. */
async function chosenFrom<Item extends { name: string; access: NameAccess['access'] }>(
  all: Item[],
): Promise<Item[] | undefined> {
  const counts = new Map<string, { read: number; write: number }>();
  for (const { name, access } of all) {
    if (access === 'declaration') continue;
    const count = counts.get(name) ?? { read: 0, write: 0 };
    count[access] += 1;
    counts.set(name, count);
  }
  if (counts.size < 2) return all;
  const names = [...counts].sort(([one], [other]) => one.localeCompare(other, 'en', { numeric: true }));
  const choices = names.map(([name, { read, write }]) => ({
    label: name,
    description: `${counted(write, 'write')}, ${counted(read, 'read')}`,
    names: [name],
  }));
  const every = { label: 'All registers', description: counted(all.length, 'reference'), names: [] as string[] };
  const chosen = await vscode.window.showQuickPick([every, ...choices], {
    title: 'Reads and writes of which register?',
  });
  if (chosen === undefined || chosen.names.length === 0) return chosen && all;
  return all.filter(({ name, access }) => access === 'declaration' || chosen.names.includes(name));
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function say(message: string): void {
  vscode.window.setStatusBarMessage(message, MESSAGE_MS);
}
