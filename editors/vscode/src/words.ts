/** The command that explains any word of PTX, and the read-only documents with the explanations. */

import * as vscode from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient';
import type { Explanation, Word } from './protocol';

const SCHEME = 'ptx-word';

interface Choice extends vscode.QuickPickItem {
  word: Word;
}

/** Offers the words and shows what is known of the chosen one. */
export class Words implements vscode.TextDocumentContentProvider {
  private readonly registration: vscode.Disposable;
  /** The words of the server; they stay the same as long as it runs. */
  private words: Word[] | undefined;

  constructor(private readonly client: () => BaseLanguageClient | undefined) {
    this.registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  /** Forgets the words, for the next server may know others. */
  forget(): void {
    this.words = undefined;
  }

  /** Explains a word; without one, the user chooses, beginning with the word at the cursor. */
  async explain(name?: string): Promise<void> {
    const client = this.client();
    if (client?.isRunning() !== true) {
      void vscode.window.showInformationMessage('The server is not running.');
      return;
    }
    this.words ??= await client.sendRequest<Word[]>('ptx/words', {});
    const words = this.words;
    const word = name === undefined ? await choose(words) : words.find((it) => it.name === name);
    if (word === undefined) return;
    const uri = vscode.Uri.from({
      scheme: SCHEME,
      path: `/${word.name} (${word.kind}).md`,
      query: JSON.stringify(word),
    });
    await vscode.commands.executeCommand('markdown.showPreviewToSide', uri);
  }

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    const client = this.client();
    if (client?.isRunning() !== true) return 'The server is not running.\n';
    const { name, kind } = JSON.parse(uri.query) as Word;
    const found = await client.sendRequest<Explanation[]>('ptx/explain', { name, kind }, token);
    const exact = found.filter((it) => it.name === name);
    const texts = exact.length > 0 ? exact : found;
    if (texts.length === 0) return `Nothing is known of \`${name}\`.\n`;
    return texts.map((it) => `# ${it.name}\n\n*${it.kind}*\n\n${it.text}\n`).join('\n');
  }

  dispose(): void {
    this.registration.dispose();
  }
}

async function choose(words: Word[]): Promise<Word | undefined> {
  const here = wordAtCursor();
  const choices: Choice[] = words.map((word) => ({ label: word.name, description: word.kind, word }));
  const plain = (name: string) => name.replace(/^[.%]/, '');
  const first = choices.filter((it) => here !== undefined && plain(it.label) === here);
  const all = [...first, ...choices.filter((it) => !first.includes(it))];
  const chosen = await vscode.window.showQuickPick(all, {
    title: 'Explain a word of PTX',
    placeHolder: 'An instruction, modifier, special register, directive, type, target or code of a problem',
    matchOnDescription: true,
  });
  return chosen?.word;
}

/** The word at the cursor, without its period or per cent sign. */
function wordAtCursor(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== 'ptx') return undefined;
  const range = editor.document.getWordRangeAtPosition(editor.selection.active);
  return range === undefined ? undefined : editor.document.getText(range).replace(/^[.%]/, '');
}
