// Bundles the page into a folder, together with the server that `server/wasm/build` has made.
//
// usage: node scripts/build.mjs FOLDER
import { build } from 'esbuild';
import { cpSync, mkdirSync, rmSync } from 'node:fs';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node scripts/build.mjs FOLDER');
const server = new URL('../../../target/web/npm/', import.meta.url).pathname;

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
await build({
  bundle: true,
  minify: true,
  format: 'esm',
  // Module workers, `CompressionStream` and top-level `await`.
  target: ['chrome111', 'firefox114', 'safari16.4'],
  logLevel: 'warning',
  entryPoints: {
    boot: 'src/boot.ts',
    server_worker: 'src/server_worker.ts',
    main: 'src/main.ts',
    offline: 'src/offline.ts',
    server: `${server}background.js`,
    debug: `${server}debug.js`,
  },
  // Only Node reads files. The server that the page starts first is the one that the rest of it uses.
  external: ['node:fs/promises', './server_worker.js', './main.js'],
  loader: { '.ptx': 'text' },
  outdir: folder,
});
cpSync('static', folder, { recursive: true });
for (const name of ['ptx_analyzer_bg.wasm', 'ptx_debugger_bg.wasm']) cpSync(`${server}${name}`, `${folder}/${name}`);
cpSync('../vscode/icon.svg', `${folder}/icon.svg`);
