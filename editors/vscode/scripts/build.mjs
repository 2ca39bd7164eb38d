// Bundles the extension into dist/extension.js and its pages into dist/webview.*, or with --tests the unit tests into dist/test.
import { context } from 'esbuild';
import { readdirSync } from 'node:fs';

const tests = process.argv.includes('--tests');
const watch = process.argv.includes('--watch');

const options = { bundle: true, sourcemap: watch ? 'inline' : false, minify: !watch && !tests, logLevel: 'warning' };
const extension = {
  ...options,
  entryPoints: tests
    ? readdirSync('src/test')
        .filter((name) => name.endsWith('.test.ts'))
        .map((name) => `src/test/${name}`)
    : ['src/extension.ts'],
  outdir: tests ? 'dist/test' : 'dist',
  format: 'cjs',
  platform: 'node',
  // The Node of VS Code 1.91.
  target: 'node20',
  external: ['vscode'],
};
const pages = {
  ...options,
  entryPoints: { webview: 'src/webview/main.ts', 'webview-style': 'src/webview/webview.css' },
  outdir: 'dist',
  format: 'iife',
  platform: 'browser',
  // The Chromium of VS Code 1.91.
  target: 'chrome124',
};
for (const it of tests ? [extension] : [extension, pages]) {
  const build = await context(it);
  if (watch) {
    await build.watch();
  } else {
    await build.rebuild();
    await build.dispose();
  }
}
