import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sidesOf, summaryOf, type FunctionChange } from '../node/changes';
import { choicesOf, type Image } from '../node/images';

const change = (changes: Partial<FunctionChange>): FunctionChange => ({
  function: 'k',
  change: 'changed',
  added: [],
  removed: [],
  moved: [],
  rewired: [],
  ...changes,
});

void test('differences are marked at the lines of their side', () => {
  const { old, new: fresh } = sidesOf([
    change({
      removed: [[4, 5]],
      added: [[9, 9]],
      moved: [{ old: [6, 6], new: [8, 8] }],
      rewired: [{ old: '%r1', new: '%r2', uses: 2, old_line: 7, line: 10 }],
    }),
    change({ change: 'added', line: 20 }),
    change({ change: 'removed', old_line: 30 }),
  ]);
  const lines = (side: typeof old) =>
    [side.changed, side.moved, side.rewired].map((it) => it.map((mark) => mark.lines));
  assert.deepEqual(lines(old), [
    [
      [3, 4],
      [29, 29],
    ],
    [[5, 5]],
    [[6, 6]],
  ]);
  assert.deepEqual(lines(fresh), [
    [
      [8, 8],
      [19, 19],
    ],
    [[7, 7]],
    [[9, 9]],
  ]);
  assert.equal(fresh.moved[0]?.text, 'moved from line 6');
  assert.equal(fresh.rewired[0]?.text, '`%r1` is now `%r2` (2 uses)');
});

void test('the summary counts functions', () => {
  assert.equal(summaryOf([change({}), change({ change: 'same' })]), 'Functions: 1 changed, 1 same');
  assert.equal(summaryOf([change({ change: 'same' })]), 'The two files are the same, apart from names.');
});

void test('texts of a binary are offered, cubins and torn images are not', () => {
  const image = (changes: Partial<Image>): Image => ({
    number: 1,
    kind: 'ptx',
    target: 'sm_90',
    ident: 'a.cu',
    recovered: false,
    ...changes,
  });
  const choices = choicesOf([
    image({ version: '8.5', size: 10, path: '/tmp/a.1.sm_90.ptx' }),
    image({ kind: 'cubin', path: '/tmp/a.2.sm_90.cubin' }),
    image({ error: 'torn' }),
  ]);
  assert.deepEqual(choices, [
    { label: '1: sm_90', description: 'a.cu', detail: 'PTX 8.5, 10 bytes', path: '/tmp/a.1.sm_90.ptx' },
  ]);
});
