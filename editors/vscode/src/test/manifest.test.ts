import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

interface Manifest {
  version: string;
  publisher: string;
  name: string;
  icon: string;
  contributes: {
    commands: { command: string }[];
    configuration: { properties: Record<string, { scope?: string; markdownDescription?: string; default?: unknown }> };
    grammars: { path: string; scopeName: string }[];
    languages: { configuration: string }[];
    problemMatchers: { name: string; pattern: { regexp: string } }[];
    walkthroughs: { steps: { description: string; media: { markdown: string } }[] }[];
  };
}

// The tests are run in the folder of the extension.
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const { commands, configuration, grammars, languages, problemMatchers, walkthroughs } = manifest.contributes;
const steps = walkthroughs.flatMap((it) => it.steps);

void test('the extension has the version of the workspace', () => {
  const cargo = readFileSync('../../Cargo.toml', 'utf8');
  const workspace = /\[workspace\.package\]\s+(?:[^[\n]*\n)*?version = "([^"]+)"/.exec(cargo)?.[1];
  assert.equal(manifest.version, workspace);
});

void test('the changelog begins with this version', () => {
  assert.equal(/^## (\S+)/m.exec(readFileSync('CHANGELOG.md', 'utf8'))?.[1], manifest.version);
});

void test('no workspace can choose the program that is run', () => {
  for (const [name, { scope }] of Object.entries(configuration.properties)) {
    if (name.startsWith('ptx-analyzer.server.')) assert.equal(scope, 'machine', name);
  }
});

void test('every setting is described, has a default and is in the README', () => {
  const readme = readFileSync('README.md', 'utf8');
  for (const [name, setting] of Object.entries(configuration.properties)) {
    assert.ok(setting.markdownDescription?.endsWith('.'), name);
    assert.ok('default' in setting, name);
    assert.ok(readme.includes(`\`${name}\``), `${name} is missing in README.md`);
  }
});

void test('every command is registered', () => {
  const source = (name: string) => readFileSync(`src/${name}.ts`, 'utf8');
  const shared = source('extension') + source('status');
  const [programs, browser] = [source('node/server'), source('browser/server')];
  for (const { command } of commands) {
    if (shared.includes(`registerCommand('${command}'`)) continue;
    // What needs programs says so in a browser.
    assert.ok(programs.includes(`registerCommand('${command}'`), command);
    assert.ok(browser.includes(`'${command}':`), command);
  }
});

void test('every file that is named exists', () => {
  const files = [manifest.icon, ...grammars.map((g) => g.path), ...languages.map((l) => l.configuration)];
  files.push(...steps.map((step) => step.media.markdown));
  for (const file of files) assert.ok(existsSync(file), file);
});

void test('commands of the extension in the walkthrough exist', () => {
  const named = steps.flatMap((step) =>
    [...step.description.matchAll(/command:(ptx-analyzer\.\w+)/g)].map((it) => it[1]),
  );
  assert.ok(named.length > 0);
  for (const name of named)
    assert.ok(
      commands.some((it) => it.command === name),
      name,
    );
});

void test('the problem matcher reads what ptxas writes', () => {
  const pattern = new RegExp(problemMatchers[0]?.pattern.regexp ?? '');
  const parts = (line: string) => pattern.exec(line)?.slice(1);
  assert.deepEqual(parts("ptxas a b.ptx, line 6; error   : Arguments mismatch for instruction 'add'"), [
    'a b.ptx',
    '6',
    'error',
    "Arguments mismatch for instruction 'add'",
  ]);
  assert.deepEqual(parts('ptxas a.ptx, line 1; fatal   : Missing .version directive'), [
    'a.ptx',
    '1',
    'fatal',
    'Missing .version directive',
  ]);
  assert.equal(parts('ptxas fatal   : Ptx assembly aborted due to errors'), undefined);
});
