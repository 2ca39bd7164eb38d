import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { isProblem, type Problem } from '../machine';
import { locateServer, type Server, type Surroundings } from '../node/locate';

const folder = mkdtempSync(join(tmpdir(), 'ptx-analyzer-locate-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;

/** A fresh place with an extension folder and a folder on the search path. */
function place(): { around: Surroundings; bundled: string; onPath: string; other: string } {
  const base = join(folder, String(count++));
  const around: Surroundings = {
    configured: undefined,
    extensionPath: join(base, 'extension'),
    // The scripts below need a shell, which is started by its absolute path.
    env: { PATH: join(base, 'bin') },
    platform: 'linux',
    arch: process.arch,
  };
  return {
    around,
    bundled: join(base, 'extension', 'server', 'ptx-analyzer'),
    onPath: join(base, 'bin', 'ptx-analyzer'),
    other: join(base, 'other', 'ptx analyzer'),
  };
}

function program(path: string, body = 'echo "ptx-analyzer 1.2.3 (PTX 9.5)"', mode = 0o755): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, mode);
}

function server(result: Server | Problem): Server {
  assert.ok(!isProblem(result), JSON.stringify(result));
  return result;
}

function problem(result: Server | Problem): Problem {
  assert.ok(isProblem(result), JSON.stringify(result));
  return result;
}

const unix = process.platform === 'win32' ? { skip: 'the programs are shell scripts' } : {};

void test('the bundled program comes before the search path', unix, async () => {
  const { around, bundled, onPath } = place();
  program(onPath, 'echo "ptx-analyzer 0.0.1"');
  assert.deepEqual(server(await locateServer(around)), { path: onPath, source: 'path', version: '0.0.1', notes: [] });
  program(bundled);
  assert.deepEqual(server(await locateServer(around)), {
    path: bundled,
    source: 'bundled',
    version: '1.2.3',
    notes: [],
  });
});

void test('the setting comes first, and blanks in its path do not matter', unix, async () => {
  const { around, bundled, other } = place();
  program(bundled);
  program(other, 'echo "ptx-analyzer 7.0.0"');
  assert.equal(server(await locateServer({ ...around, configured: other })).source, 'setting');
});

void test('a bare name in the setting is looked up on the search path', unix, async () => {
  const { around, onPath } = place();
  program(onPath);
  assert.equal(server(await locateServer({ ...around, configured: 'ptx-analyzer' })).path, onPath);
  const { message } = problem(await locateServer({ ...around, configured: 'nothing-such' }));
  assert.match(message, /“nothing-such”.*PATH/);
});

void test('a wrong setting is said, not worked around', unix, async () => {
  const { around, bundled } = place();
  program(bundled);
  const found = problem(await locateServer({ ...around, configured: '/no/such/server' }));
  assert.equal(found.kind, 'setting');
  assert.match(found.message, /ptx-analyzer\.server\.path does not exist: \/no\/such\/server/);
});

void test('nothing anywhere', unix, async () => {
  const found = problem(await locateServer(place().around));
  assert.equal(found.kind, 'missing');
  assert.match(
    found.message,
    /No ptx-analyzer server was found.*Install the server, or set ptx-analyzer\.server\.path/,
  );
});

void test('a relative entry of the search path is not used', unix, async () => {
  const { around } = place();
  const found = problem(await locateServer({ ...around, env: { PATH: '.:bin:' } }));
  assert.equal(found.kind, 'missing');
});

void test('a program for another platform is named as such', unix, async () => {
  const { around, bundled } = place();
  mkdirSync(dirname(bundled), { recursive: true });
  const macho = Buffer.alloc(64);
  macho.writeUInt32LE(0xfeedfacf, 0);
  macho.writeUInt32LE(0x0100000c, 4);
  writeFileSync(bundled, macho, { mode: 0o755 });
  const found = problem(await locateServer({ ...around, arch: 'x64' }));
  assert.equal(found.kind, 'bundled');
  assert.match(found.message, /built for macOS arm64, but this machine is Linux x64/);
});

void test('a program on the search path stands in for a bundled one that does not run, with a note', unix, async () => {
  const { around, bundled, onPath } = place();
  program(bundled, 'exit 3');
  program(onPath);
  const found = server(await locateServer(around));
  assert.equal(found.source, 'path');
  assert.match(found.notes.join(), /passed over.*exit code 3/);
});

void test('a bundled program that lost its permission is repaired, a configured one is not touched', unix, async () => {
  const { around, bundled, other } = place();
  program(bundled, undefined, 0o644);
  assert.equal(server(await locateServer(around)).source, 'bundled');
  assert.equal(statSync(bundled).mode & 0o777, 0o755);
  program(other, undefined, 0o644);
  assert.match(problem(await locateServer({ ...around, configured: other })).message, /not executable. Run: chmod \+x/);
  assert.equal(statSync(other).mode & 0o777, 0o644);
});

void test('what runs but is something else is refused', unix, async () => {
  const { around, other } = place();
  program(other, 'echo "hello"');
  assert.match(problem(await locateServer({ ...around, configured: other })).message, /is not ptx-analyzer/);
});

void test('a file that is not a program at all', unix, async () => {
  const { around, other } = place();
  mkdirSync(dirname(other), { recursive: true });
  writeFileSync(other, Buffer.from([0x7f, 0, 0, 0]), { mode: 0o755 });
  assert.match(
    problem(await locateServer({ ...around, configured: other })).message,
    /not a program that this machine can run/,
  );
  const found = problem(await locateServer({ ...around, configured: dirname(other) }));
  assert.match(found.message, /is not a file/);
});

void test('a program whose loader is missing', unix, async () => {
  const { around, other } = place();
  mkdirSync(dirname(other), { recursive: true });
  writeFileSync(other, '#!/no/such/loader\n', { mode: 0o755 });
  assert.match(
    problem(await locateServer({ ...around, configured: other })).message,
    /built for another system library/,
  );
});
