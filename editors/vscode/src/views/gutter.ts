/** Bars beside the lines of a PTX file, in the hues that the rows of their machine code have. */

import * as vscode from 'vscode';
import { colorOf, HUES, hueOf } from './hue';

/** A decoration for each hue, and the lines of one document that have it. */
export class Gutter {
  private readonly types: vscode.TextEditorDecorationType[] = [];
  private readonly disposables: vscode.Disposable[] = [];
  private uri = '';

  constructor() {
    this.disposables.push(
      vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
      // Bars move with their lines by themselves, so what is drawn later has to know of edits, too.
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (document.uri.toString() !== this.uri) return;
        if (contentChanges.some((it) => !it.range.isSingleLine || it.text.includes('\n'))) this.lines = [];
      }),
    );
  }

  private lines: number[] = [];

  /** Marks these lines, counted from 0, and no others. */
  show(uri: vscode.Uri | undefined, lines: Iterable<number>): void {
    this.uri = uri?.toString() ?? '';
    this.lines = [...new Set(lines)];
    this.draw();
  }

  dispose(): void {
    for (const it of [...this.types, ...this.disposables]) it.dispose();
  }

  private draw(): void {
    if (this.types.length === 0 && this.lines.length === 0) return;
    for (let hue = this.types.length; hue < HUES; hue += 1) this.types.push(typeOf(hue));
    const ranges: vscode.Range[][] = this.types.map(() => []);
    for (const line of this.lines) ranges[hueOf(line)]?.push(new vscode.Range(line, 0, line, 0));
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.languageId !== 'ptx') continue;
      const isShown = editor.document.uri.toString() === this.uri;
      this.types.forEach((type, hue) => editor.setDecorations(type, isShown ? (ranges[hue] ?? []) : []));
    }
  }
}

function typeOf(hue: number): vscode.TextEditorDecorationType {
  const bar = `<rect x="6" width="4" height="16" fill="${colorOf(hue)}"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16">${bar}</svg>`;
  return vscode.window.createTextEditorDecorationType({
    gutterIconPath: vscode.Uri.parse(`data:image/svg+xml;base64,${btoa(svg)}`),
    gutterIconSize: 'contain',
  });
}
