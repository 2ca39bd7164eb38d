/** The comparison of targets: what would be wrong with a file if it were for another GPU. */

import * as vscode from 'vscode';
import type { Diagnostic } from 'vscode-languageclient';
import type { TargetVerdict } from '../protocol';
import type { ViewKind } from './liveView';
import type { Fact, Place, Row } from './messages';

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
        rows: rowsOf(verdicts),
      };
    },
  };
}

/** A row for each target, and before them one with what is wrong for all of them. */
function rowsOf(verdicts: TargetVerdict[]): Row[] {
  const key = (it: Diagnostic) => JSON.stringify([it.range, it.message]);
  const sets = verdicts.map((it) => new Set(it.errors.map(key)));
  const everywhere = (it: Diagnostic) => verdicts.length > 1 && sets.every((set) => set.has(key(it)));
  const common = verdicts[0]?.errors.filter(everywhere) ?? [];
  const rows = verdicts.map(({ target, version, errors }) => {
    const own = errors.filter((it) => !everywhere(it));
    const fact =
      own.length === 0 ? { name: common.length > 0 ? 'no more errors' : 'no errors', value: '✓' } : count(own);
    return {
      id: target,
      title: target,
      facts: [fact, { name: 'or later', value: `PTX ISA ${version}` }],
      bad: own.length > 0,
      places: placesOf(own),
    };
  });
  if (common.length === 0) return rows;
  return [{ id: '', title: 'every target', facts: [count(common)], bad: true, places: placesOf(common) }, ...rows];
}

function count(errors: Diagnostic[]): Fact {
  return { name: errors.length === 1 ? 'error' : 'errors', value: String(errors.length) };
}

function placesOf(errors: Diagnostic[]): Place[] {
  return errors.slice(0, MAX_SHOWN).map((it) => ({
    line: it.range.start.line,
    text: (typeof it.message === 'string' ? it.message : it.message.value).split('\n', 1)[0] ?? '',
  }));
}
