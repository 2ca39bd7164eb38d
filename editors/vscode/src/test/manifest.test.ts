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
  };
}

// The tests are run in the folder of the extension.
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const { commands, configuration, grammars, languages } = manifest.contributes;

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
  const sources = ['extension', 'status'].map((name) => readFileSync(`src/${name}.ts`, 'utf8')).join('\n');
  for (const { command } of commands) assert.ok(sources.includes(`registerCommand('${command}'`), command);
});

void test('every file that is named exists', () => {
  const files = [manifest.icon, ...grammars.map((g) => g.path), ...languages.map((l) => l.configuration)];
  for (const file of files) assert.ok(existsSync(file), file);
});
