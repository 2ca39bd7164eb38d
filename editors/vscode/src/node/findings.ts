/** What `ptx-analyzer run` and `ptx-analyzer test` print, and what is shown of it. */

/** A mistake that a run reached; lines and columns count from 1, columns in bytes. */
export interface Finding {
  code: string;
  severity: string;
  message: string;
  line: number;
  column: number;
  block: number[];
  warp: number;
  lanes: number[];
  related: { line: number; message: string }[];
}

/** A run, as `run --format json` prints it. */
export interface RunRecord {
  name?: string;
  entry: string;
  outcome: string;
  steps: number;
  findings: Finding[];
  expectations: {
    name: string;
    holds: boolean;
    first_difference: { index: number[]; got: unknown; want: unknown } | null;
    different: number;
    of: number;
  }[];
  not_run: { line: number; what: string }[];
  approximated: string[];
  printed?: string;
}

/** A test, as `test --format json` prints it. */
export interface TestRecord {
  test: string;
  file: string;
  name: string;
  passed: boolean;
  seconds: number;
  messages: string[];
  runs: RunRecord[];
}

/** Something to be shown at a line of the text. */
export interface Problem {
  /** From 0. */
  line: number;
  severity: 'error' | 'warning';
  code: string;
  message: string;
  related: { line: number; message: string }[];
}

/** Lanes that ascend, those in a row as a range: `0-3, 7`. */
export function ranges(lanes: number[]): string {
  const parts: [number, number][] = [];
  for (const lane of lanes) {
    const last = parts.at(-1);
    if (last !== undefined && last[1] + 1 === lane) last[1] = lane;
    else parts.push([lane, lane]);
  }
  return parts.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(', ');
}

/** The problems of a run at lines of the text; `home` is the line, from 0, of what belongs to no instruction. */
export function problemsOf(run: RunRecord, home: number): Problem[] {
  const findings = run.findings.map((it): Problem => {
    const lanes = it.lanes.length === 0 ? '' : `, ${it.lanes.length === 1 ? 'lane' : 'lanes'} ${ranges(it.lanes)}`;
    return {
      line: it.line - 1,
      severity: it.severity === 'warning' ? 'warning' : 'error',
      code: it.code,
      message: `${it.message} (block ${it.block.join(',')}, warp ${it.warp}${lanes})`,
      related: it.related.map(({ line, message }) => ({ line: line - 1, message })),
    };
  });
  const stops = run.not_run.map((it): Problem => ({
    line: it.line - 1,
    severity: 'error',
    code: 'not-run',
    message: `not run yet: ${it.what}`,
    related: [],
  }));
  const failed = run.expectations
    .filter((it) => !it.holds)
    .map((it): Problem => ({
      line: home,
      severity: 'error',
      code: 'expectation',
      message: differenceOf(it),
      related: [],
    }));
  return [...findings, ...stops, ...failed];
}

/** How an array differs from what was expected. */
export function differenceOf(it: RunRecord['expectations'][number]): string {
  if (it.first_difference === null) return `${it.name}: as expected`;
  const { index, got, want } = it.first_difference;
  const first = `first at [${index.join(', ')}]: got ${String(got)}, want ${String(want)}`;
  return `${it.name}: ${it.different} of ${it.of} elements differ, ${first}`;
}

const ENDS: Record<string, string> = {
  stopped: 'stopped at what is not run yet',
  deadlock: 'deadlock',
  trap: 'trap',
  limit: 'stopped at a limit',
};

/** One sentence about a run. */
export function summaryOf(run: RunRecord): string {
  const count = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`;
  const end = ENDS[run.outcome];
  const failed = run.expectations.filter((it) => !it.holds).length;
  const parts = [
    ...(end === undefined ? [] : [end]),
    `ran ${count(run.steps, 'step')} of warps`,
    run.findings.length === 0 ? 'no findings' : count(run.findings.length, 'finding'),
    ...(failed === 0 ? [] : [`${failed} of ${count(run.expectations.length, 'expectation')} failed`]),
  ];
  return `${run.name ?? run.entry}: ${parts.join(', ')}`;
}

/** The runs that the comments of a text describe: the line of each, from 0, and its name. */
export function runsOf(text: string): { line: number; name: string }[] {
  const lines = text.split(/\r?\n/);
  const found: { line: number; name: string }[] = [];
  lines.forEach((line, index) => {
    if (!/^\s*\/\/\s*run:/.test(line)) return;
    let end = index + 1;
    while (/^\s*\/\/(?: {2}|\t)/.test(lines[end] ?? '')) end++;
    const comment = lines.slice(index, end).join('\n');
    const own = /(?:^|\s)(?:run:\s*)?name\s*=\s*["']([^"']*)["']/.exec(comment)?.[1];
    const below = /\.entry\s+([\w$.%]+)/.exec(lines.slice(end).join('\n'))?.[1];
    found.push({ line: index, name: own ?? below ?? 'run' });
  });
  return found;
}

/** The line, from 0, of a comment that a test is about; undefined for one in a launch file. */
export function lineOf(test: TestRecord): number | undefined {
  if (!test.test.startsWith(`${test.file}:`)) return undefined;
  const line = /^(\d+)/.exec(test.test.slice(test.file.length + 1))?.[1];
  return line === undefined ? undefined : Number(line) - 1;
}
