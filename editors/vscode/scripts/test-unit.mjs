// Builds the unit tests and runs them; prints the failures and the count. Exit code: 0 when all passed, 1 otherwise.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { run } from 'node:test';

// A test that is gone from the sources must not run on.
rmSync('dist/test', { recursive: true, force: true });
const built = spawnSync(process.execPath, ['scripts/build.mjs', '--tests'], { stdio: 'inherit' });
if (built.status !== 0) process.exit(1);

let passed = 0;
let failed = 0;
const files = readdirSync('dist/test')
  .filter((name) => name.endsWith('.test.js'))
  .map((name) => resolve('dist/test', name));
run({ files })
  .on('test:pass', () => passed++)
  .on('test:fail', ({ name, details }) => {
    failed++;
    console.log(`not ok ${name}\n${details.error.cause?.stack ?? details.error.stack}`);
  })
  .on('test:stderr', ({ message }) => process.stderr.write(message))
  .on('end', () => {
    console.log(`${passed} passed, ${failed} failed`);
    process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
  })
  .resume();
