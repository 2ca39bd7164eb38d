/** The comparison of targets: what would be wrong with a file if it were for another GPU. */

import * as vscode from 'vscode';
import type { TargetMatrix } from '../protocol';
import type { ViewKind } from './liveView';
import type { Table, TableRow } from './messages';

/** Rows below which those of the same targets need not be folded. */
const FEW = 12;

export function targetsView(): ViewKind {
  return {
    type: 'ptx-analyzer.targets',
    title: 'Targets',
    async content(client, { document }, token) {
      const targets = vscode.workspace
        .getConfiguration('ptx-analyzer', document)
        .get<string[]>('portability.targets', []);
      const params = { textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri) }, targets };
      const matrix = await client.sendRequest<TargetMatrix>('ptx/compareTargets', params, token);
      return {
        kind: 'content',
        heading: `Targets: ${document.uri.path.split('/').pop() ?? ''}`,
        note:
          targets.length > 0
            ? 'The targets of the setting `ptx-analyzer.portability.targets`.'
            : 'The target of the file, and GPUs of today; the setting `ptx-analyzer.portability.targets` chooses others.',
        rows: [],
        table: tableOf(matrix),
      };
    },
  };
}

/** The table of the page: a row for each cause, or one for all causes of the same targets when there are many. */
function tableOf({ columns, groups }: TargetMatrix): Table {
  const heads = columns.map(({ title, own, targets, errors }) => ({
    text: title,
    ...(own === null ? {} : { own: title === own ? 'target of the file' : `with ${own}, the target of the file` }),
    below: errors === 0 ? '✓ no errors' : errors === 1 ? '1 error' : `${errors} errors`,
    bad: errors > 0,
    // Those of a range are told one by one, each with the module that it needs.
    more: targets.map(({ target, version }) => `${target}: PTX ISA ${version} or later`),
  }));
  const isLong = groups.reduce((sum, it) => sum + it.causes.length, 0) > FEW;
  const rows = groups.flatMap(({ wrong, causes }): TableRow[] => {
    const parts = causes.map((cause): TableRow => {
      const lines = [...new Set(cause.ranges.map((it) => it.start.line))];
      return { text: cause.message.split('\n', 1)[0] ?? '', marks: wrong, lines };
    });
    if (!isLong || parts.length === 1) return parts;
    const first = parts[0]?.text ?? '';
    return [{ text: `${parts.length} causes, such as: ${first}`, marks: wrong, lines: [], parts }];
  });
  return { heads, rows };
}
