/** Diagnostics: in the text, in a list, and their fixes. */

import { LSPPlugin, type LSPClientExtension } from '@codemirror/lsp-client';
import { type Diagnostic, forEachDiagnostic, setDiagnostics } from '@codemirror/lint';
import type { Text } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type * as lsp from 'vscode-languageserver-protocol';

import { element, withCode } from './dom';

/** What the server said last of the text in the editor. */
export interface Problems {
  diagnostics: lsp.Diagnostic[];
  /** Those of each diagnostic; without a map they have been asked for and are not there yet. */
  fixes: ReadonlyMap<lsp.Diagnostic, readonly lsp.CodeAction[]> | undefined;
  /** The text that they are about. */
  doc: Text | undefined;
}

export const NO_PROBLEMS: Problems = { diagnostics: [], fixes: new Map(), doc: undefined };

/** Milliseconds without news after which fixes are asked for. */
const PAUSE = 150;

const SEVERITIES = ['error', 'error', 'warning', 'info', 'hint'] as const;

/** The severity as a word. */
export function severityOf(it: lsp.Diagnostic): 'error' | 'warning' | 'info' | 'hint' {
  return SEVERITIES[it.severity ?? 1] ?? 'error';
}

/** The message as text. */
export function wordsOf({ message }: lsp.Diagnostic): string {
  return typeof message === 'string' ? message : message.value;
}

/** The page of the book about a diagnostic. */
export function pageOf(it: lsp.Diagnostic): string {
  return `../diagnostics/${String(it.code)}.html`;
}

/** The message with a link to its page. */
export function messageOf(it: lsp.Diagnostic): HTMLElement {
  const box = withCode('span', wordsOf(it), 'message');
  if (it.code !== undefined) {
    const link = element('a', String(it.code), 'code');
    link.href = pageOf(it);
    link.target = '_blank';
    box.append(' ', link);
  }
  return box;
}

/** Applies an edit of the server to the text in the editor. */
export function applyEdit(view: EditorView, edit: lsp.WorkspaceEdit): void {
  const plugin = LSPPlugin.get(view);
  if (!plugin) return;
  const edits = [
    ...(edit.changes?.[plugin.uri] ?? []),
    ...(edit.documentChanges ?? []).flatMap((it) =>
      'edits' in it && it.textDocument.uri === plugin.uri ? it.edits : [],
    ),
  ];
  const changes = edits.flatMap((it) =>
    'newText' in it
      ? [{ from: plugin.fromPosition(it.range.start), to: plugin.fromPosition(it.range.end), insert: it.newText }]
      : [],
  );
  view.dispatch({ changes, userEvent: 'input.fix' });
}

/** Takes diagnostics, asks for their fixes, and shows both. */
export function problems(shown: (view: EditorView, problems: Problems) => void): LSPClientExtension {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    clientCapabilities: {
      textDocument: {
        codeAction: {
          codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'source.fixAll'] } },
          isPreferredSupport: true,
        },
        publishDiagnostics: {
          relatedInformation: true,
          codeDescriptionSupport: true,
          versionSupport: true,
          tagSupport: { valueSet: [1, 2] },
        },
      },
    },
    notificationHandlers: {
      'textDocument/publishDiagnostics': (client, params: lsp.PublishDiagnosticsParams) => {
        const file = client.workspace.getFile(params.uri);
        const view = file?.getView();
        const plugin = view && LSPPlugin.get(view);
        if (!file || !view || !plugin || params.version !== file.version) return true;
        const { diagnostics } = params;
        const show = (all?: lsp.CodeAction[]): void => {
          if (file.version !== params.version) return;
          const fixes = all && assigned(diagnostics, all);
          const marks = diagnostics.map((it): Diagnostic => {
            const at = (place: lsp.Position): number => {
              const from = plugin.fromPosition(place, plugin.syncedDoc);
              return plugin.unsyncedChanges.mapPos(from);
            };
            return {
              from: at(it.range.start),
              to: at(it.range.end),
              severity: severityOf(it),
              message: wordsOf(it),
              markClass: it.tags?.includes(1) ? 'ptx-unnecessary' : undefined,
              renderMessage: () => messageOf(it),
              actions: fixes
                ?.get(it)
                ?.map((fix) => ({ name: fix.title, apply: (view) => fix.edit && applyEdit(view, fix.edit) })),
            };
          });
          view.dispatch(setDiagnostics(view.state, marks));
          shown(view, { diagnostics, fixes, doc: plugin.syncedDoc });
        };
        clearTimeout(timer);
        if (diagnostics.length === 0) {
          show([]);
          return true;
        }
        show();
        timer = setTimeout(() => {
          const whole = { start: { line: 0, character: 0 }, end: plugin.toPosition(view.state.doc.length) };
          const textDocument = { uri: params.uri };
          const context = { diagnostics, only: ['quickfix'] };
          client
            .request<lsp.CodeActionParams, lsp.CodeAction[] | null>('textDocument/codeAction', {
              textDocument,
              range: whole,
              context,
            })
            .then((fixes) => show(fixes ?? []))
            // The text has changed meanwhile.
            .catch(() => undefined);
        }, PAUSE);
        return true;
      },
    },
  };
}

/** The fixes of each diagnostic. */
function assigned(
  diagnostics: lsp.Diagnostic[],
  fixes: lsp.CodeAction[],
): ReadonlyMap<lsp.Diagnostic, readonly lsp.CodeAction[]> {
  const byKey = new Map<string, lsp.CodeAction[]>();
  for (const fix of fixes) {
    for (const it of new Set(fix.diagnostics?.map(keyOf))) {
      const others = byKey.get(it);
      if (others) others.push(fix);
      else byKey.set(it, [fix]);
    }
  }
  return new Map(diagnostics.map((it) => [it, byKey.get(keyOf(it)) ?? []]));
}

/** Equal for equal diagnostics; there can be hundreds of them and of fixes. */
function keyOf(it: lsp.Diagnostic): string {
  const { start, end } = it.range;
  return `${start.line}:${start.character}-${end.line}:${end.character} ${String(it.code)} ${wordsOf(it)}`;
}

/** How many diagnostics the editor shows. */
export function countMarks(view: EditorView): number {
  let count = 0;
  forEachDiagnostic(view.state, () => (count += 1));
  return count;
}
