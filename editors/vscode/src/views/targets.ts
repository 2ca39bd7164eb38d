/** The comparison of targets: what would be wrong with a file if it were for another GPU. */

import * as vscode from 'vscode';
import type { TargetVerdict } from '../protocol';
import type { ViewKind } from './liveView';
import type { Row } from './messages';

/** Errors that are listed for each target; the rest are counted. */
const MAX_SHOWN = 50;

export function targetsView(): ViewKind {
  return {
    type: 'ptx-analyzer.targets',
    title: 'Targets',
    async content(client, { document }, token) {
      const targets = vscode.workspace
        .getConfiguration('ptx-analyzer', document)
        .get<string[]>('portability.targets', []);
      const params = { textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri) }, targets };
      const verdicts = await client.sendRequest<TargetVerdict[]>('ptx/compareTargets', params, token);
      return {
        kind: 'content',
        heading: `Targets: ${document.uri.path.split('/').pop() ?? ''}`,
        note:
          targets.length > 0
            ? 'The targets of the setting ptx-analyzer.portability.targets.'
            : 'GPUs of today; the setting ptx-analyzer.portability.targets chooses others.',
        rows: verdicts.map(rowOf),
      };
    },
  };
}

function rowOf({ target, errors }: TargetVerdict): Row {
  const places = errors.slice(0, MAX_SHOWN).map((it) => ({
    line: it.range.start.line,
    text: (typeof it.message === 'string' ? it.message : it.message.value).split('\n', 1)[0] ?? '',
  }));
  const fact =
    errors.length === 0
      ? { name: 'no errors', value: '✓' }
      : { name: errors.length === 1 ? 'error' : 'errors', value: String(errors.length) };
  return { id: target, title: target, facts: [fact], bad: errors.length > 0, places };
}
