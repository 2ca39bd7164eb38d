// Measures how fast the page is, in turns with another build of it.
//
// usage: node test/speed.mjs [FOLDER…]
//
// Each FOLDER is a built playground; without one it is target/web/playground. Prints the medians of some visits: the
// time from the navigation to the first diagnostics of 100 KB, that from a key to its diagnostics, and the processor
// time of the page in the latter, which depends less on what else the machine does.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { launch } from './browser.mjs';
import { keys, large, shared } from './large.mjs';
import { serve } from './serve.mjs';

const VISITS = 9;
const standard = fileURLToPath(new URL('../../../target/web/playground', import.meta.url));
const folders = (process.argv.length > 2 ? process.argv.slice(2) : [standard]).map((it) => resolve(it));
const served = mkdtempSync(join(tmpdir(), 'playground-'));
folders.forEach((it, index) => cpSync(it, join(served, String(index)), { recursive: true }));
const server = await serve(served);
const browser = await launch();
const text = large();
const results = folders.map(() => ({ first: [], p50: [], p95: [], cpu: [] }));

for (let visit = 0; visit < VISITS; visit += 1) {
  for (const [index, result] of results.entries()) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${server.address}${index}/${shared(text)}`);
    await page.locator('#status', { hasText: /[1-9]\d* errors/ }).waitFor({ timeout: 120_000 });
    result.first.push(await page.evaluate(() => performance.getEntriesByName('diagnostics')[0].startTime));
    const devtools = await context.newCDPSession(page);
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    const work = async () => {
      const { metrics } = await devtools.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
    };
    const before = await work();
    const times = await page.evaluate(keys, 60);
    result.cpu.push(((await work()) - before) / 60);
    result.p50.push(times[30]);
    result.p95.push(times[57]);
    await context.close();
  }
}
await browser.close();
server.close();
rmSync(served, { recursive: true });
const median = (all) => all.sort((one, other) => one - other)[all.length >> 1].toFixed(1);
console.log(
  `${(text.length / 1024).toFixed(0)} KB, medians of ${VISITS} visits in milliseconds; load ${loadavg()[0].toFixed(1)}`,
);
console.log('page                     first   key p50   key p95   processor per key');
for (const [index, { first, p50, p95, cpu }] of results.entries()) {
  const name = basename(folders[index]).padEnd(20);
  console.log(`${name} ${[first, p50, p95, cpu].map((it) => median(it).padStart(9)).join(' ')}`);
}
