/** The editor: CodeMirror with the language server. */

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, codeFolding, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language';
import { lintGutter, lintKeymap } from '@codemirror/lint';
import {
  LSPClient,
  LSPPlugin,
  findReferencesKeymap,
  formatKeymap,
  hoverTooltips,
  jumpToDefinitionKeymap,
  renameKeymap,
  serverCompletion,
  signatureHelp,
} from '@codemirror/lsp-client';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  EditorView,
  crosshairCursor,
  drawSelection,
  dropCursor,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from '@codemirror/view';

import { annotations, foldsChanged } from './annotations';
import { sanitize } from './dom';
import { language } from './language';
import { type Problems, problems } from './problems';
import { stepping } from './stepping';
import { WorkerTransport } from './transport';

/** What the editor tells the page. */
export interface Listener {
  problems(view: EditorView, problems: Problems): void;
  changed(view: EditorView): void;
  moved(view: EditorView): void;
  failed(message: string): void;
}

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '14px' },
  '.cm-scroller': { fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace' },
});

/** The code of LSP for a question about a text that has changed since. */
const CONTENT_MODIFIED = -32801;

/** A client for which questions that typing has overtaken have no answer; the library would tell users of them. */
class Client extends LSPClient {
  override async request<Params, Result>(method: string, params: Params): Promise<Result> {
    try {
      return await super.request<Params, Result>(method, params);
    } catch (error) {
      if ((error as { code?: number }).code === CONTENT_MODIFIED) return null as Result;
      throw error;
    }
  }
}

/** An editor and its server. */
export class Editor {
  readonly view: EditorView;
  readonly client: LSPClient;
  private readonly file = new Compartment();
  private readonly extra = new Compartment();
  private number = 0;

  constructor(
    parent: HTMLElement,
    settings: object,
    private readonly listener: Listener,
  ) {
    this.client = new Client({
      timeout: 20_000,
      initializationOptions: settings,
      sanitizeHTML: sanitize,
      extensions: [
        serverCompletion(),
        hoverTooltips(),
        keymap.of([...formatKeymap, ...renameKeymap, ...jumpToDefinitionKeymap, ...findReferencesKeymap]),
        signatureHelp(),
        problems((view, it) => listener.problems(view, it)),
        {
          clientCapabilities: {
            textDocument: {
              semanticTokens: {
                requests: { range: true, full: true },
                tokenTypes: [],
                tokenModifiers: [],
                formats: ['relative'],
              },
              inlayHint: {},
              foldingRange: { lineFoldingOnly: true },
            },
          },
        },
      ],
    }).connect(new WorkerTransport((message) => listener.failed(message)));
    this.view = new EditorView({ parent, state: this.state('', []) });
  }

  /** Shows another text, as another file. */
  open(text: string, languageId: string): void {
    this.number += 1;
    const name = languageId === 'ptx' ? 'module.ptx' : languageId === 'python' ? 'kernel.py' : 'kernel.cu';
    this.view.setState(this.state(text, this.client.plugin(`playground:/${this.number}/${name}`, languageId)));
    this.listener.changed(this.view);
  }

  /** The name of the file that is open. */
  get uri(): string {
    return LSPPlugin.get(this.view)?.uri ?? '';
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Adds what is shown besides, as a comparison. */
  decorate(extension: Extension): void {
    this.view.dispatch({ effects: this.extra.reconfigure(extension) });
  }

  /** Goes to a line, counted from 0. */
  goTo(line: number, character = 0): void {
    const { doc } = this.view.state;
    const at = doc.line(Math.min(line + 1, doc.lines));
    const anchor = Math.min(at.from + character, at.to);
    this.view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    this.view.focus();
  }

  private state(doc: string, file: Extension): EditorState {
    return EditorState.create({
      doc,
      extensions: [
        stepping(),
        lineNumbers(),
        highlightActiveLineGutter(),
        highlightSpecialChars(),
        history(),
        codeFolding(),
        foldGutter({ foldingChanged: foldsChanged }),
        drawSelection(),
        dropCursor(),
        EditorState.allowMultipleSelections.of(true),
        indentOnInput(),
        indentUnit.of('    '),
        bracketMatching(),
        closeBrackets(),
        autocompletion(),
        rectangularSelection(),
        crosshairCursor(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        search({ top: true }),
        lintGutter(),
        language(),
        annotations(),
        theme,
        // The policy of the page allows styles with this nonce.
        EditorView.cspNonce.of('editor'),
        EditorView.contentAttributes.of({ 'aria-label': 'PTX text' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) {
            // Typing waits for nothing: edits that come while the server works are merged there.
            this.client.sync();
            this.listener.changed(update.view);
          }
          if (update.docChanged || update.selectionSet) this.listener.moved(update.view);
        }),
        keymap.of([
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...foldKeymap,
          ...completionKeymap,
          ...lintKeymap,
          // Escape, then Tab leaves the editor.
          indentWithTab,
        ]),
        this.file.of(file),
        this.extra.of([]),
      ],
    });
  }
}
