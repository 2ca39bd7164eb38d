/** The pressure panel: how many registers the entries of a file need, and where. */

import * as vscode from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient';
import type { Chart, EntryRegisters, PositionParams, Registers } from '../protocol';
import type { Subject, ViewKind } from './liveView';
import type { Content, Fact, Row } from './messages';

/** Makes the view; a function, for it remembers where its rows are. */
export function registersView(): ViewKind {
  let places = new Map<string, vscode.Position>();
  return {
    type: 'ptx-analyzer.registers',
    title: 'Registers',
    place: (id) => places.get(id),
    async content(client, subject, token) {
      const textDocument = { uri: client.code2ProtocolConverter.asUri(subject.document.uri) };
      const answer = await client.sendRequest<Registers | null>('ptx/registers', { textDocument }, token);
      const entries = answer?.entries ?? [];
      places = new Map(
        entries.map(({ name, selectionRange }) => [
          name,
          client.protocol2CodeConverter.asPosition(selectionRange.start),
        ]),
      );
      const content: Content = {
        kind: 'content',
        heading: `Registers: ${subject.document.uri.path.split('/').pop() ?? ''}`,
        rows: entries.map(rowOf),
      };
      const entry = entryOf(client, entries, subject);
      if (entry === undefined) return { ...content, note: 'There is no kernel in this file.' };
      content.chosen = entry.name;
      const params: PositionParams = { textDocument, position: entry.range.start };
      const chart = await client.sendRequest<Chart | null>(
        'ptx/registerChart',
        { ...params, dark: subject.dark },
        token,
      );
      if (chart !== null) content.svg = chart.svg;
      return content;
    },
  };
}

/** The entry that was chosen, or else the one at the cursor, or else the first. */
function entryOf(client: BaseLanguageClient, entries: EntryRegisters[], subject: Subject): EntryRegisters | undefined {
  const range = (entry: EntryRegisters) => client.protocol2CodeConverter.asRange(entry.range);
  return (
    entries.find((it) => it.name === subject.chosen) ??
    entries.find((it) => range(it).contains(subject.position)) ??
    entries[0]
  );
}

function rowOf(entry: EntryRegisters): Row {
  const { exact } = entry;
  const facts: Fact[] = [];
  if (exact !== null) {
    facts.push({ name: 'registers', value: String(exact.registers), title: 'Said by ptxas.' });
    const spilled = exact.spillStores + exact.spillLoads;
    if (spilled > 0) {
      const title = `${exact.spillStores} bytes of stores, ${exact.spillLoads} bytes of loads.`;
      facts.push({ name: 'bytes spilled', value: String(spilled), title });
    }
  } else {
    const value = entry.low === entry.high ? `≈ ${entry.estimate}` : `≈ ${entry.estimate} (${entry.low}–${entry.high})`;
    facts.push({ name: 'registers', value, title: 'An estimate, with its usual error.' });
  }
  facts.push(occupancyOf(entry));
  facts.push({
    name: 'live at most',
    value: String(entry.maxLive),
    title: 'In 32-bit registers, in the order that ptxas probably chooses.',
  });
  if (entry.cap !== null) {
    const said = entry.capDirective;
    facts.push({ name: 'allowed', value: String(entry.cap), ...(said === null ? {} : { title: `By ${said}.` }) });
  }
  const row: Row = { id: entry.name, title: entry.name, facts, bad: (exact?.spillStores ?? 0) > 0 };
  if (entry.peakLine !== null) row.places = [{ line: entry.peakLine, text: 'is the peak' }];
  return row;
}

function occupancyOf({ target, occupancy }: EntryRegisters): Fact {
  const { warps, of, limiter, threads, threadsAssumed, next } = occupancy;
  const words = [`With ${threads} threads per block${threadsAssumed ? ', which is assumed' : ''}.`];
  if (limiter !== null) words.push(`Limited by ${limiter}.`);
  if (next !== null) words.push(`With ${next.registers} registers: ${next.warps} warps.`);
  return { name: `warps on ${target}`, value: `${warps}/${of}`, title: words.join(' ') };
}
