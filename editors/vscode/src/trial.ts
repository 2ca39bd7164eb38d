/** The command that runs statements on values of their operands, and the read-only documents with the results. */

import * as vscode from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient';
import type { Range, Trial, TrialInput } from './protocol';

const SCHEME = 'ptx-trial';
/** More results than this are forgotten, the oldest first. */
const MAX_REMEMBERED = 100;

/** Where statements are, in the words of the protocol. */
interface Place {
  uri: string;
  range: Range;
}

/** Asks for the values, one operand at a time, and shows what the statements make of them. */
export class Trials implements vscode.TextDocumentContentProvider {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration: vscode.Disposable;
  /** The results by their documents. */
  private readonly shown = new Map<string, string>();
  /** The values that were given last, by the text of the statements. */
  private readonly given = new Map<string, string[]>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly client: () => BaseLanguageClient | undefined) {
    this.registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  /** Tries the statements at a place, as the code action names it; without one, those at the selection. */
  async start(place?: Place): Promise<void> {
    const client = this.client();
    const at = place ?? selected(client);
    if (client?.isRunning() !== true || at === undefined) {
      void vscode.window.showInformationMessage('This works in files with PTX, while the server runs.');
      return;
    }
    const { uri, range } = at;
    const ask = (values: string[], run: boolean) =>
      client.sendRequest<Trial | null>('ptx/tryStatements', { textDocument: { uri }, range, values, run });
    const trial = await ask([], false);
    if (trial === null) {
      void vscode.window.showInformationMessage(
        'Put the cursor into an asm string or on a statement of PTX, or select some.',
      );
      return;
    }
    if (trial.problem !== null) {
      void vscode.window.showWarningMessage(`This PTX cannot be tried: ${trial.problem}`);
      return;
    }
    const last = this.given.get(trial.statements) ?? [];
    const values: string[] = [];
    for (const [index, input] of trial.inputs.entries()) {
      const check = async (value: string) =>
        (await ask([...values, value], false))?.inputs[index]?.problem ?? undefined;
      const value = await askFor(input, index, trial.inputs.length, last[index] ?? input.sample, check);
      if (value === undefined) return;
      values.push(value);
    }
    remember(this.given, trial.statements, values);
    const ran = await ask(values, true);
    if (ran?.shown == null) {
      void vscode.window.showWarningMessage(`This PTX did not run: ${ran?.problem ?? 'the file has changed'}`);
      return;
    }
    await this.show(client.protocol2CodeConverter.asUri(uri), ran.shown);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.shown.get(uri.toString()) ?? 'Run *Try This PTX…* again.\n';
  }

  dispose(): void {
    this.changed.dispose();
    this.registration.dispose();
  }

  private async show(source: vscode.Uri, text: string): Promise<void> {
    const file = source.path.split('/').pop() ?? 'file';
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${file} (results)`, query: source.toString() });
    remember(this.shown, uri.toString(), text);
    const document = await vscode.workspace.openTextDocument(uri);
    this.changed.fire(uri); // It may be open with earlier results.
    await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Beside,
      preserveFocus: true,
      preview: true,
    });
  }
}

function selected(client: BaseLanguageClient | undefined): Place | undefined {
  const editor = vscode.window.activeTextEditor;
  if (client === undefined || editor === undefined) return undefined;
  const { code2ProtocolConverter: convert } = client;
  return { uri: convert.asUri(editor.document.uri), range: convert.asRange(editor.selection) };
}

function askFor(
  input: TrialInput,
  index: number,
  count: number,
  value: string,
  check: (value: string) => Promise<string | undefined>,
): Thenable<string | undefined> {
  const expression = input.expression === null ? '' : ` (${input.expression})`;
  return vscode.window.showInputBox({
    title: `Try This PTX: operand ${index + 1} of ${count}`,
    prompt: `.${input.type} ${input.name}${expression}: one value, 32 with commas between them, or an expression such as 4*lane`,
    value,
    ignoreFocusOut: true,
    validateInput: check,
  });
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest);
}
