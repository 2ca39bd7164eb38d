// Bundles the extension into dist/extension.js and its pages into dist/webview.*, or with --tests the unit tests into dist/test.
//
// With --browser FOLDER also what a browser runs: the extension into dist/browser.js and the server of that folder, which
// `server/wasm/build` has made, into dist/server.js and dist/ptx_analyzer_bg.wasm.
import { context } from 'esbuild';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { tests, watch, browser } = parseArgs({
  options: { tests: { type: 'boolean' }, watch: { type: 'boolean' }, browser: { type: 'string' } },
}).values;

const options = { bundle: true, sourcemap: watch ? 'inline' : false, minify: !watch && !tests, logLevel: 'warning' };
const extension = {
  ...options,
  entryPoints: tests
    ? readdirSync('src/test')
        .filter((name) => name.endsWith('.test.ts'))
        .map((name) => `src/test/${name}`)
    : { extension: 'src/node/main.ts' },
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
const inBrowser = {
  ...options,
  entryPoints: { browser: 'src/browser/main.ts' },
  outdir: 'dist',
  format: 'cjs',
  platform: 'browser',
  target: 'chrome124',
  external: ['vscode'],
};
const worker = {
  ...options,
  entryPoints: { server: join(browser ?? '', 'background.js') },
  outdir: 'dist',
  // The editor starts workers as scripts, not as modules.
  format: 'iife',
  platform: 'browser',
  target: 'chrome124',
  // Only Node reads files.
  external: ['node:fs/promises'],
  // The extension gives it the module, so it need not know where it is.
  logOverride: { 'empty-import-meta': 'silent' },
};
const wanted = tests ? [extension] : browser === undefined ? [extension, pages] : [extension, pages, inBrowser, worker];
for (const it of wanted) {
  const build = await context(it);
  if (watch) {
    await build.watch();
  } else {
    await build.rebuild();
    await build.dispose();
  }
}
if (browser !== undefined) copyFileSync(join(browser, 'ptx_analyzer_bg.wasm'), 'dist/ptx_analyzer_bg.wasm');
