// Bundles the extension into dist/extension.js, and with --tests the unit tests into dist/test.
import { context } from 'esbuild';
import { readdirSync } from 'node:fs';

const tests = process.argv.includes('--tests');
const watch = process.argv.includes('--watch');

const build = await context({
  entryPoints: tests
    ? readdirSync('src/test')
        .filter((name) => name.endsWith('.test.ts'))
        .map((name) => `src/test/${name}`)
    : ['src/extension.ts'],
  outdir: tests ? 'dist/test' : 'dist',
  bundle: true,
  format: 'cjs',
  platform: 'node',
  // The Node of VS Code 1.91.
  target: 'node20',
  external: ['vscode'],
  sourcemap: watch ? 'inline' : false,
  minify: !watch && !tests,
  logLevel: 'warning',
});
if (watch) {
  await build.watch();
} else {
  await build.rebuild();
  await build.dispose();
}
