// Makes a .vsix of the extension.
//
//   node scripts/package.mjs [--target T --server FILE] [--out FILE.vsix]
//
// --target  a platform as the marketplace names it (linux-x64, darwin-arm64, win32-x64, ...); needs --server.
// --server  the server program of that platform, put into the package as server/ptx-analyzer[.exe]; for the platform `web`
//           the folder of `server/wasm/build`.
// --out     where to write; by default dist/ptx-analyzer-[T-]VERSION.vsix.
//
// Without --target the package is the universal one: it has no server inside and looks for one on the PATH.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({
  options: { target: { type: 'string' }, server: { type: 'string' }, out: { type: 'string' } },
});
if (Boolean(values.target) !== Boolean(values.server)) {
  console.error('package: --target and --server go together.');
  process.exit(2);
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const middle = values.target ? `${values.target}-` : '';
const out = resolve(values.out ?? join(root, 'dist', `ptx-analyzer-${middle}${manifest.version}.vsix`));

const web = values.target === 'web';
run(
  process.execPath,
  [join(root, 'scripts', 'build.mjs'), ...(web ? ['--browser', resolve(values.server)] : [])],
  root,
);

// Packed from a folder of its own, so that a server of another platform left in the source folder can never slip in.
const stage = mkdtempSync(join(tmpdir(), 'ptx-analyzer-vsix-'));
try {
  for (const name of [
    '.vscodeignore',
    'README.md',
    'CHANGELOG.md',
    'INSTALL.md',
    'icon.png',
    'language-configuration.json',
    'syntaxes',
    'walkthrough',
    ...(web ? ['dist/browser.js', 'dist/server.js', 'dist/ptx_analyzer_bg.wasm'] : ['dist/extension.js']),
    'dist/webview.js',
    'dist/webview-style.css',
  ]) {
    cpSync(join(root, name), join(stage, name), { recursive: true });
  }
  const licences = ['LICENSE-MIT', 'LICENSE-APACHE'].map((name) => readFileSync(join(root, '..', '..', name), 'utf8'));
  writeFileSync(
    join(stage, 'LICENSE.md'),
    `ptx-analyzer is licensed under the MIT licence or the Apache licence 2.0, at your option.\n\n${licences.join('\n\n')}`,
  );
  // What is needed at run time is bundled, so the package depends on nothing.
  for (const key of ['scripts', 'dependencies', 'devDependencies', web ? 'main' : 'browser']) delete manifest[key];
  writeFileSync(join(stage, 'package.json'), JSON.stringify(manifest, null, 2));
  if (values.server && !web) {
    const program = join(stage, 'server', values.target.startsWith('win32') ? 'ptx-analyzer.exe' : 'ptx-analyzer');
    mkdirSync(dirname(program));
    cpSync(values.server, program, { dereference: true });
    chmodSync(program, 0o755);
  }
  mkdirSync(dirname(out), { recursive: true });
  const vsce = join(root, 'node_modules', '@vscode', 'vsce', 'vsce');
  const target = values.target ? ['--target', values.target] : [];
  run(process.execPath, [vsce, 'package', '--no-dependencies', ...target, '--out', out], stage);
} finally {
  rmSync(stage, { recursive: true, force: true });
}
console.log(out);

function run(program, args, cwd) {
  const { status, error } = spawnSync(program, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
