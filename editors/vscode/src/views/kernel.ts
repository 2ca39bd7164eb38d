/** The kernel map: roles of warps, shared memory, loops, mbarriers and copies of the kernel at the cursor, as a drawing. */

import type { KernelMap, PositionParams } from '../protocol';
import type { ViewKind } from './liveView';

export function kernelView(): ViewKind {
  return {
    type: 'ptx-analyzer.kernelMap',
    title: 'Kernel map',
    async content(client, { document, position, dark }, token) {
      const params: PositionParams = {
        textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri) },
        position: client.code2ProtocolConverter.asPosition(position),
      };
      const map = await client.sendRequest<KernelMap | null>('ptx/kernelMap', { ...params, dark }, token);
      if (map === null) {
        const heading = `Kernel map: ${document.uri.path.split('/').pop() ?? ''}`;
        return { kind: 'content', heading, note: 'Put the cursor into a kernel.', rows: [] };
      }
      return {
        kind: 'content',
        heading: `Kernel map: ${map.function}`,
        rows: [{ id: map.function, title: map.title, facts: [] }],
        svg: map.svg,
        canvas: map.function,
      };
    },
  };
}
