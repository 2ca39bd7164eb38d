/** The colours of the editor, for what the server draws. */

import * as vscode from 'vscode';

/** Whether the background of the editor is dark. */
export function isDark(): boolean {
  const { kind } = vscode.window.activeColorTheme;
  return kind === vscode.ColorThemeKind.Dark || kind === vscode.ColorThemeKind.HighContrast;
}
