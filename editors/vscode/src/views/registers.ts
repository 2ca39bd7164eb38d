/** The pressure panel: how many registers the entries of a file need, and where. */

import * as vscode from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient';
import type { Chart, EntryRegisters, PositionParams, Registers } from '../protocol';
import type { Subject, ViewKind } from './liveView';
import type { Content, Fact, Row } from './messages';

/** The least height of a chart, in pixels; with many kernels the panel scrolls. */
const LEAST = 280;

/** Makes the view; a function, for it remembers where its rows are. */
export function registersView(): ViewKind {
  let places = new Map<string, vscode.Position>();
  return {
    type: 'ptx-analyzer.registers',
    title: 'Registers',
    sized: true,
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
        { ...params, dark: subject.dark, ...sizeOf(subject) },
        token,
      );
      if (chart !== null) content.svg = chart.svg;
      return content;
    },
  };
}

/** The size of the chart is that of the panel, or of half a window before that is known. */
function sizeOf({ size }: Subject): { width?: number; height?: number } {
  return size === undefined ? {} : { width: size.width, height: Math.max(LEAST, size.height) };
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
    facts.push({ name: 'registers', value, title: 'An estimate; four of five kernels are in the range.' });
    if (entry.mayNeed !== null) {
      const title = 'So many are live in an order that hides latency; ptxas chooses it in about half of such kernels.';
      facts.push({ name: 'perhaps', value: String(entry.mayNeed), title });
    }
  }
  facts.push(occupancyOf(entry));
  const counted = entry.counted === 'ptxas' ? 'live at most, by ptxas' : 'live at most, as written';
  facts.push({
    name: counted,
    value: String(entry.maxLive),
    title:
      entry.counted === 'ptxas'
        ? 'General registers, in the machine code that ptxas made of this text.'
        : '32-bit registers, in the order of the text.',
  });
  if (entry.cap !== null) {
    const said = entry.capDirective;
    facts.push({ name: 'allowed', value: String(entry.cap), ...(said === null ? {} : { title: `By ${said}.` }) });
  }
  const row: Row = { id: entry.name, title: entry.name, facts, bad: (exact?.spillStores ?? 0) > 0 };
  if (entry.peakLine !== null)
    row.places = [
      {
        line: entry.peakLine,
        text: `is where most are ${entry.counted === 'ptxas' ? 'live by ptxas' : 'live as written'}`,
      },
    ];
  return row;
}

function occupancyOf({ target, occupancy }: EntryRegisters): Fact {
  const { warps, of, limiter, threads, threadsAssumed, next } = occupancy;
  const words = [`With ${threads} threads per block${threadsAssumed ? ', which is assumed' : ''}.`];
  if (limiter !== null) words.push(`Limited by ${limiter}.`);
  if (next !== null) words.push(`With ${next.registers} registers: ${next.warps} warps.`);
  return { name: `warps on ${target}`, value: `${warps}/${of}`, title: words.join(' ') };
}
