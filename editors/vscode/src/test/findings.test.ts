import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineOf, problemsOf, ranges, runsOf, summaryOf, type RunRecord, type TestRecord } from '../node/findings';

const run: RunRecord = {
  entry: 'k',
  outcome: 'finished',
  steps: 1,
  findings: [],
  expectations: [],
  not_run: [],
  approximated: [],
};

void test('findings are shown at their lines with their threads', () => {
  const finding = {
    code: 'race',
    severity: 'error',
    message: 'a race',
    line: 7,
    column: 5,
    block: [0, 1, 0],
    warp: 2,
    lanes: [0, 1, 2, 9],
    related: [{ line: 4, message: 'a store' }],
  };
  assert.deepEqual(problemsOf({ ...run, findings: [finding] }, 3), [
    {
      line: 6,
      severity: 'error',
      code: 'race',
      message: 'a race (block 0,1,0, warp 2, lanes 0-2, 9)',
      related: [{ line: 3, message: 'a store' }],
    },
  ]);
  assert.equal(ranges([]), '');
});

void test('what is not run and what differs are problems, too', () => {
  const first_difference = { index: [1, 2], got: 3, want: 4 };
  const expectations = [
    { name: 'x', holds: true, first_difference: null, different: 0, of: 8 },
    { name: 'y', holds: false, first_difference, different: 2, of: 8 },
  ];
  const stopped = { ...run, outcome: 'stopped', not_run: [{ line: 9, what: 'tex' }], expectations };
  assert.deepEqual(
    problemsOf(stopped, 3).map((it) => [it.line, it.message]),
    [
      [8, 'not run yet: tex'],
      [3, 'y: 2 of 8 elements differ, first at [1, 2]: got 3, want 4'],
    ],
  );
  assert.equal(
    summaryOf(stopped),
    'k: stopped at what is not run yet, ran 1 step of warps, no findings, 1 of 2 expectations failed',
  );
  assert.equal(summaryOf({ ...run, name: 'small', steps: 2 }), 'small: ran 2 steps of warps, no findings');
});

void test('the runs of a text are its comments', () => {
  const text = [
    '.version 8.0 // run: not at the start of the line',
    '// run: grid = 1',
    '//   name = "first"',
    '  // run: grid = 2',
    '.visible .entry k$1() { }',
    '//run: args.name = 3',
    '.entry j()',
  ].join('\n');
  assert.deepEqual(runsOf(text), [
    { line: 1, name: 'first' },
    { line: 3, name: 'k$1' },
    { line: 5, name: 'j' },
  ]);
});

void test('a test names the line of its comment, or a launch file', () => {
  const record = (test: string): TestRecord => ({
    test,
    file: 'C:\\a.ptx',
    name: 'k',
    passed: true,
    seconds: 0,
    messages: [],
    runs: [],
  });
  assert.equal(lineOf(record('C:\\a.ptx:12 k')), 11);
  assert.equal(lineOf(record('C:\\a.toml k')), undefined);
});
