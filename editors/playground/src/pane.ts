/** The face of a pane. */

import type { EditorView } from '@codemirror/view';
import type * as lsp from 'vscode-languageserver-protocol';

import type { Problems } from './problems';
import type { SlowServer } from './transport';

/** The page as panes see it. */
export interface Page {
  readonly uri: string;
  readonly text: string;
  readonly view: EditorView;
  /** The cursor. */
  readonly position: lsp.Position;
  /** The word at the cursor, or the selection. */
  readonly word: string;
  readonly dark: boolean;
  readonly problems: Problems;
  /** The text to compare with. */
  readonly before: string | undefined;
  goTo(line: number, character?: number): void;
  apply(edit: lsp.WorkspaceEdit): void;
  markdown(text: string): string;
}

/** A pane: a title, and what is in it now. */
export interface Pane {
  id: string;
  title: string;
  /** Whether it follows the cursor, and not only the text. */
  follows?: boolean;
  content(page: Page, server: SlowServer): Promise<Node[]> | Node[];
}
