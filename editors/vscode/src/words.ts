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
    if (texts.length === 0) return `No documentation for \`${name}\`.\n`;
    return texts.map((it) => `# ${it.name}\n\n*${it.kind}*\n\n${it.text}\n`).join('\n');
  }

  dispose(): void {
    this.registration.dispose();
  }
}

async function choose(words: Word[]): Promise<Word | undefined> {
  const choices: Choice[] = words.map((word) => ({ label: word.name, description: word.kind, word }));
  const first = choicesAt(choices, namesAtCursor());
  const all = [...first, ...choices.filter((it) => !first.includes(it))];
  const chosen = await vscode.window.showQuickPick(all, {
    title: 'Explain a word of PTX',
    placeHolder: 'An instruction, modifier, special register, directive, type, target or diagnostic code',
    matchOnDescription: true,
  });
  return chosen?.word;
}

/** The choices for the names at the cursor, the best first. */
function choicesAt(choices: Choice[], names: string[]): Choice[] {
  const plain = (name: string) => name.replace(/^[.%]/, '');
  const found = names.flatMap((name) => [
    ...choices.filter((it) => it.label === name),
    ...choices.filter((it) => it.label !== name && plain(it.label) === plain(name)),
  ]);
  return [...new Set(found)];
}

/**
 * The words that may be meant at the cursor, the likeliest first: in `cp` of `cp.async.bulk.tensor` the instruction with the longest name,
 * in `global` of `ld.global.u32` the state space, and in `x` of `%tid.x` the register, as nothing else has that name.
 */
function namesAtCursor(): string[] {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== 'ptx') return [];
  const { document, selection } = editor;
  const whole = document.getWordRangeAtPosition(selection.active, /[%$\w.:]+/);
  const word = document.getWordRangeAtPosition(selection.active, /[.%]?[$\w]+(::[$\w]+)*/);
  if (whole === undefined || word === undefined) return [];
  const parts = document.getText(whole).split('.');
  const before = document.getText(new vscode.Range(whole.start, word.end)).split('.').length;
  const names: string[] = [];
  // A name that ends before the cursor is that of something else, and its modifiers come after it.
  for (let count = parts.length; count >= Math.max(before, 1); count--) names.push(parts.slice(0, count).join('.'));
  names.push(document.getText(word));
  for (let count = before - 1; count > 0; count--) names.push(parts.slice(0, count).join('.'));
  return names;
}
