/** “Compare With…”: two PTX files beside each other, with the differences marked that are not mere names. */

import * as vscode from 'vscode';
import { sidesOf, summaryOf, type FunctionChange, type Mark, type Side } from './changes';
import { records, runProgram } from './run';
import type { ServerState } from '../status';

/** A mark of whole lines. */
const style = (ground: string, ruler: string) =>
  vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor(ground),
    overviewRulerColor: new vscode.ThemeColor(ruler),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });

export class Compare {
  private readonly removed = style('diffEditor.removedLineBackground', 'diffEditorOverview.removedForeground');
  private readonly added = style('diffEditor.insertedLineBackground', 'diffEditorOverview.insertedForeground');
  private readonly moved = style('editor.rangeHighlightBackground', 'editorOverviewRuler.rangeHighlightForeground');
  private readonly rewired = style('editor.wordHighlightBackground', 'editorOverviewRuler.wordHighlightForeground');
  private readonly disposables: vscode.Disposable[] = [this.removed, this.added, this.moved, this.rewired];
  /** The texts that are compared and their marks, for editors that are opened again and for tests. */
  current: { uri: vscode.Uri; side: Side; isNew: boolean }[] = [];

  constructor(private readonly state: () => ServerState) {
    this.disposables.push(
      vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        // The lines have moved: marks would be wrong.
        if (contentChanges.length > 0 && this.current.some((it) => isOf(document, it.uri))) this.clear();
      }),
    );
  }

  /** Compares the file in front, or `uri`, with one that the user chooses, or `other`; the first is the old one. */
  async open(uri?: vscode.Uri, other?: vscode.Uri): Promise<string | undefined> {
    const old = uri ?? vscode.window.activeTextEditor?.document.uri;
    if (old === undefined) {
      void vscode.window.showInformationMessage('Open a PTX file to compare it with another one.');
      return undefined;
    }
    const fresh = other ?? (await choose(old));
    if (fresh === undefined) return undefined;
    try {
      const args = ['diff', '--format', 'json', old.fsPath, fresh.fsPath];
      const { status, stdout, stderr } = await runProgram(this.state(), args);
      // As with `diff`, more than 1 means trouble.
      if (status > 1) throw new Error(stderr.trim());
      const changes = records(stdout).filter(
        (it): it is FunctionChange => typeof it === 'object' && it !== null && 'function' in it,
      );
      await this.show(old, fresh, changes);
      const summary = summaryOf(changes);
      void vscode.window.showInformationMessage(summary);
      return summary;
    } catch (error) {
      void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  dispose(): void {
    for (const disposable of this.disposables) disposable.dispose();
  }

  private async show(old: vscode.Uri, fresh: vscode.Uri, changes: FunctionChange[]): Promise<void> {
    const sides = sidesOf(changes);
    this.current = [
      { uri: old, side: sides.old, isNew: false },
      { uri: fresh, side: sides.new, isNew: true },
    ];
    const left = await vscode.window.showTextDocument(old, { viewColumn: vscode.ViewColumn.One, preview: false });
    const right = await vscode.window.showTextDocument(fresh, { viewColumn: vscode.ViewColumn.Two, preview: false });
    reveal(left, sides.old);
    reveal(right, sides.new);
    this.draw();
  }

  private draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const found = this.current.find((it) => isOf(editor.document, it.uri));
      if (found === undefined) continue;
      const { side, isNew } = found;
      editor.setDecorations(isNew ? this.added : this.removed, side.changed.map(decoration));
      editor.setDecorations(this.moved, side.moved.map(decoration));
      editor.setDecorations(this.rewired, side.rewired.map(decoration));
    }
  }

  private clear(): void {
    this.current = [];
    for (const editor of vscode.window.visibleTextEditors) {
      for (const it of [this.removed, this.added, this.moved, this.rewired]) editor.setDecorations(it, []);
    }
  }
}

function isOf(document: vscode.TextDocument, uri: vscode.Uri): boolean {
  return document.uri.toString() === uri.toString();
}

function decoration({ lines, text }: Mark): vscode.DecorationOptions {
  const range = new vscode.Range(lines[0], 0, lines[1], 0);
  return text === '' ? { range } : { range, hoverMessage: text };
}

/** Shows the first difference. */
function reveal(editor: vscode.TextEditor, side: Side): void {
  const all = [...side.changed, ...side.moved, ...side.rewired].map((it) => it.lines[0]);
  if (all.length === 0) return;
  const first = Math.min(...all);
  editor.revealRange(new vscode.Range(first, 0, first, 0), vscode.TextEditorRevealType.InCenter);
}

/** Asks for the other file: one that is open, or any. */
async function choose(old: vscode.Uri): Promise<vscode.Uri | undefined> {
  const title = 'Compare With…';
  const open = vscode.workspace.textDocuments.filter(
    (it) => it.languageId === 'ptx' && it.uri.scheme === 'file' && it.uri.toString() !== old.toString(),
  );
  const other = { label: 'Another file…', uri: undefined };
  const items = open.map(({ uri }) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
  const choice = items.length === 0 ? other : await vscode.window.showQuickPick([...items, other], { title });
  if (choice === undefined || choice.uri !== undefined) return choice?.uri;
  return (await vscode.window.showOpenDialog({ title, canSelectMany: false }))?.[0];
}
