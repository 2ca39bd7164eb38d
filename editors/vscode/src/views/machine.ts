/** The machine code panel: what `ptxas` made of the kernel at the cursor, a row for each instruction. */

import * as vscode from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient';
import type { MachineCode, MachineRow, PtxasRun, ServerStatus, TargetMatrix } from '../protocol';
import { contentOf, listOf, rowsOf, sourceOf, textOf } from './code';
import { Gutter } from './gutter';
import type { Subject, ViewKind } from './liveView';
import type { Action, Column, Content, More } from './messages';

/** Rows that come at once; the rest comes in pieces of so many. */
const PIECE = 5_000;

/** Where the columns are kept that the user does not want to see. */
const HIDDEN = 'machineCode.hidden';

/** Makes the view; a function, for it remembers what it shows. */
export function machineView(memory: vscode.Memento): ViewKind {
  let shown: { uri: string; version: number; lines: [number, number] } | undefined;
  /** The other target, and the file for which it was chosen. */
  let other: { uri: string; target: string } | undefined;
  /** The code of each list, as far as it has come. */
  let parts: { params: object; code: MachineCode; source: string | undefined }[] = [];
  const gutter = new Gutter();
  return {
    type: 'ptx-analyzer.machineCode',
    title: 'Machine Code',
    stays({ document, position }: Subject) {
      if (shown?.uri !== document.uri.toString() || shown.version !== document.version) return false;
      return shown.lines[0] <= position.line && position.line <= shown.lines[1];
    },
    async content(client: BaseLanguageClient, { document, position, chosen }: Subject, token) {
      const { version } = document;
      const uri = document.uri.toString();
      const textDocument = { uri: client.code2ProtocolConverter.asUri(document.uri) };
      const ask = (params: object) =>
        client.sendRequest<MachineCode | null>('ptx/machineCode', { ...params, textDocument, count: PIECE }, token);
      const code = await ask({ line: position.line, ...(chosen === undefined ? {} : { entry: chosen }) });
      const heading = `Machine Code: ${document.uri.path.split('/').pop() ?? ''}`;
      shown = undefined;
      parts = [];
      if (code === null) {
        const status = await client.sendRequest<ServerStatus>('ptx/serverStatus', token).catch(() => undefined);
        return { kind: 'content', heading, rows: [], ...without(status) };
      }
      const { entry } = code;
      parts.push({ params: { textDocument, entry }, code, source: sourceOf(code.rows) });
      const content = contentOf(code, heading);
      content.hidden = memory.get<Column[]>(HIDDEN, []);
      if (other?.uri === uri) {
        const { target } = other;
        const params = { entry, target };
        let beside = await ask(params);
        if (beside === null || (beside.stale && !code.stale)) {
          // The text has been compiled anew, but not for this target.
          await client.sendRequest('ptx/runPtxas', { textDocument, target }, token).catch(() => undefined);
          beside = await ask(params);
        }
        if (beside === null) content.note = `There is no machine code of ${entry} for ${target}.`;
        else {
          parts.push({ params: { textDocument, ...params }, code: beside, source: sourceOf(beside.rows) });
          content.code?.push(listOf(beside));
        }
      }
      shown = { uri, version, lines: linesOf(code.rows, [Number.MAX_SAFE_INTEGER, -1]) };
      return content;
    },
    async *rest(client: BaseLanguageClient, token): AsyncGenerator<More> {
      for (const [list, { params, code, source }] of parts.entries()) {
        let before = code.rows.at(-1);
        for (let from = code.rows.length; from < code.total; from += PIECE) {
          const asked = { ...params, from, count: PIECE };
          const more = await client.sendRequest<MachineCode | null>('ptx/machineCode', asked, token);
          // Compiled anew in the meantime: the view is asked for again.
          if (more?.total !== code.total) return;
          if (list === 0 && shown !== undefined) shown.lines = linesOf(more.rows, shown.lines);
          yield { kind: 'more', list, rows: rowsOf(more, before, source) };
          before = more.rows.at(-1);
        }
      }
    },
    text: textOf,
    hide: (columns) => void memory.update(HIDDEN, [...columns]),
    async beside(client: BaseLanguageClient, { document }: Subject) {
      const uri = document.uri.toString();
      if (other?.uri === uri) {
        other = undefined;
        return true;
      }
      const textDocument = { uri: client.code2ProtocolConverter.asUri(document.uri) };
      const target = await chooseTarget(client, textDocument);
      if (target === undefined) return false;
      try {
        const run = await client.sendRequest<PtxasRun>('ptx/runPtxas', { textDocument, target });
        if (run.errors > 0) {
          void vscode.window.showWarningMessage(`ptxas reports errors when it compiles this file for ${target}.`);
          return false;
        }
        other = { uri, target: run.target };
        return true;
      } catch (error) {
        void vscode.window.showWarningMessage(error instanceof Error ? error.message : String(error));
        return false;
      }
    },
    mark(document?: vscode.TextDocument, content?: Content) {
      const lines = (content?.code?.[0]?.rows ?? []).flatMap((it) => (it.lines === undefined ? [] : [it.lines[0]]));
      gutter.show(document?.uri, lines);
    },
    dispose: () => gutter.dispose(),
  };
}

/** What is said where there is no machine code, and what can be done. */
function without(status: ServerStatus | undefined): { note: string; actions: Action[] } {
  const run = { title: 'Run ptxas Now', command: 'ptx-analyzer.runPtxas' };
  const settings = { title: 'Open Settings', command: 'ptx-analyzer.openSettings' };
  const reason = status?.ptxas.reason ?? '';
  switch (status?.ptxas.state) {
    case 'missing':
      return {
        note: [
          `There is no machine code: ${reason}.`,
          'ptxas, which makes it, comes with the CUDA Toolkit. It is also a package of Python: `pip install nvidia-cuda-nvcc nvidia-cuda-nvdisasm` puts it into `nvidia/…/bin` of the folder that `pip show -f nvidia-cuda-nvcc` names. No GPU is needed.',
        ].join('\n'),
        actions: [{ title: 'Choose ptxas…', command: 'ptx-analyzer.choosePtxas' }, run],
      };
    case 'untrusted':
      return {
        note: `There is no machine code: ${reason}.`,
        actions: [{ title: 'Manage Workspace Trust', command: 'workbench.trust.manage' }],
      };
    case 'off':
      return { note: `There is no machine code: ${reason}.`, actions: [settings] };
    default:
      return status !== undefined && status.ptxas.running > 0
        ? { note: 'ptxas is running…', actions: [] }
        : {
            note: 'There is no machine code of this text yet. ptxas is run when the file is saved, or now.',
            actions: [run],
          };
  }
}

async function chooseTarget(client: BaseLanguageClient, textDocument: object): Promise<string | undefined> {
  const targets = vscode.workspace.getConfiguration('ptx-analyzer').get<string[]>('portability.targets', []);
  const { columns } = await client.sendRequest<TargetMatrix>('ptx/compareTargets', { textDocument, targets });
  const items = columns.flatMap((column) =>
    column.targets.map(({ target }) => ({
      label: target,
      description: column.errors === 0 ? '' : 'the file has errors for this target',
    })),
  );
  const placeHolder = 'The target whose machine code is shown beside';
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.label;
}

/** The lines between which the statements of an entry are, together with those that are known. */
function linesOf(rows: MachineRow[], [first, last]: [number, number]): [number, number] {
  for (const { lines, routine } of rows) {
    // Functions that the entry calls are elsewhere.
    if (lines === null || routine !== null) continue;
    first = Math.min(first, lines[0]);
    last = Math.max(last, lines[1]);
  }
  return [first, last];
}
