import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MachineCode, MachineRow } from '../protocol';
import { contentOf, textOf } from '../views/code';

const row = (address: number, changes: Partial<MachineRow>): MachineRow => ({
  address,
  text: 'NOP',
  label: null,
  lines: null,
  source: null,
  live: 3,
  stall: 2,
  waitsFor: [],
  local: false,
  routine: null,
  ofPtxas: false,
  ...changes,
});

void test('rows have figures, labels, and headings of routines', () => {
  const code: MachineCode = {
    entries: ['k', 'other'],
    entry: 'k',
    target: 'sm_80',
    stale: true,
    total: 3,
    peak: [5, 7],
    from: 0,
    local: 1,
    blocks: [
      { first: 0, count: 1, summary: '1 instruction, stalls 2' },
      { first: 1, count: 1, summary: '1 instruction, stalls 3' },
    ],
    rows: [
      row(0, { text: 'LDL R1, [R2]', lines: [7, 8], local: true, live: 5, source: 'scale.cu:40' }),
      row(16, { label: '.L_x_1', waitsFor: [0], source: 'math.cuh:7' }),
      row(32, { routine: '__cuda_div', ofPtxas: true, stall: null }),
    ],
    opcodes: { LDL: 'Loads from local memory: `ld.local`.' },
  };
  const content = contentOf(code, 'Machine Code: a.ptx');
  const { code: lists = [], note, chosen, rows: entries } = content;
  const rows = lists.flatMap((it) => it.rows);
  assert.equal(chosen, 'k');
  assert.match(note ?? '', /edited since/);
  assert.deepEqual(
    lists.map((it) => it.stale),
    [true],
  );
  assert.deepEqual(
    rows.map(({ address, text, cells }) => [address, text, ...Object.values(cells)].join('|')),
    [
      '|1 instruction, stalls 2||||',
      '0000|LDL R1, [R2]|:40|5|2|',
      '|1 instruction, stalls 3||||',
      '|.L_x_1:||||',
      '0010|NOP|math.cuh:7|3|2|0000',
      '|routine of ptxas: __cuda_div||||',
      '0020|NOP||3||',
    ],
  );
  assert.deepEqual(
    rows.map(({ local, peak }) => [local, peak]),
    [[undefined, undefined], [true, true], ...Array.from({ length: 5 }, () => [undefined, undefined])],
  );
  assert.deepEqual(
    rows.map(({ lines, heading, routine }) => lines ?? [heading, routine]),
    [
      [undefined, undefined],
      [7, 8],
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined],
      [true, '__cuda_div'],
      [undefined, '__cuda_div'],
    ],
  );
  assert.match(rows[1]?.title ?? '', /^Loads from local memory: ld\.local\.\n/);
  assert.equal(entries[0]?.bad, true);
  assert.equal(
    textOf(content),
    [
      'Machine Code: a.ptx, k for sm_80, lines of scale.cu',
      'address  instruction   source      live  stall  waits for',
      '-- 1 instruction, stalls 2',
      '   0000  LDL R1, [R2]  :40            5      2',
      '-- 1 instruction, stalls 3',
      '         .L_x_1:',
      '   0010  NOP           math.cuh:7     3      2  0000',
      '-- routine of ptxas: __cuda_div',
      '   0020  NOP                          3',
      '',
    ].join('\n'),
  );
});
