/** The control-flow view: the basic blocks of the function at the cursor, as a drawing. */

import type { FlowGraph, PositionParams } from '../protocol';
import type { ViewKind } from './liveView';
import type { Content } from './messages';

export function flowView(): ViewKind {
  return {
    type: 'ptx-analyzer.controlFlow',
    title: 'Control flow',
    async content(client, { document, position, dark }, token) {
      const params: PositionParams = {
        textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri) },
        position: client.code2ProtocolConverter.asPosition(position),
      };
      const graph = await client.sendRequest<FlowGraph | null>('ptx/flowGraph', { ...params, dark }, token);
      if (graph === null) {
        const heading = `Control flow: ${document.uri.path.split('/').pop() ?? ''}`;
        return { kind: 'content', heading, note: 'Put the cursor into a function.', rows: [] };
      }
      const { blocks } = graph;
      const loops = Math.max(0, ...blocks.map((it) => it.loopDepth));
      const dead = blocks.filter((it) => !it.reachable);
      const facts = [
        { name: blocks.length === 1 ? 'block' : 'blocks', value: String(blocks.length) },
        { name: 'loop depth', value: String(loops) },
      ];
      const content: Content = {
        kind: 'content',
        heading: `Control flow: ${graph.function}`,
        rows: [{ id: graph.function, title: graph.function, facts, bad: dead.length > 0 }],
        svg: graph.svg,
        canvas: graph.function,
      };
      const places = dead.map((it) => ({ line: it.range.start.line, text: 'is never reached' }));
      if (content.rows[0] !== undefined) content.rows[0].places = places;
      return content;
    },
  };
}
