// Tests a package of the extension in VS Code's real extension host and in its real window.
//
//   node run.mjs --editors DIR --screens DIR [--vsix FILE] [--web FILE] [--only host|window|exact|web]
//
// --vsix names the package for this machine, --web that for browsers; without one of them its tests are left out.
// DIR is the folder of setup-vscode.sh; pictures of the window go to the folder named by --screens.
// The variable PTXAS names a real ptxas; without it the tests of exact mode are left out.
// Exit code: 0 when every test passed, 1 otherwise.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openBrowser } from './browser.mjs';
import { startCode } from './code-server.mjs';
import { testExactMode } from './exact.mjs';
import { serveCode } from './pages.mjs';
import { testWeb } from './web.mjs';
import { testWindow } from './window.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({
  options: {
    editors: { type: 'string' },
    vsix: { type: 'string' },
    web: { type: 'string' },
    screens: { type: 'string' },
    only: { type: 'string' },
  },
});
/** The tests in the extension host take a minute or two; a hang must not take forever. */
const HOST_TIMEOUT_MS = 480_000;

const verbose = process.env.PTX_EDITOR_VERBOSE ? (text) => process.stderr.write(text) : () => {};

/** Gives `body` a fresh copy of the workspace, an editor and a browser, and takes them away again. */
async function withEditor(started, body) {
  const scratch = mkdtempSync(join(tmpdir(), 'ptx-analyzer-code-'));
  let code, browser;
  try {
    const workspace = join(scratch, 'workspace');
    cpSync(join(here, 'workspace'), workspace, { recursive: true });
    cpSync(join(here, 'library'), join(scratch, 'library'), { recursive: true });
    writeFileSync(
      join(scratch, 'two.code-workspace'),
      JSON.stringify({ folders: [{ path: 'workspace' }, { path: 'library' }] }),
    );
    mkdirSync(resolve(options.screens), { recursive: true });
    code = await startCode({
      editors: resolve(options.editors),
      data: join(scratch, 'data'),
      vsix: resolve(options.vsix),
      log: verbose,
      ...started,
    });
    browser = await openBrowser(resolve(options.editors));
    return await body({
      base: code.base,
      page: browser.page,
      workspace,
      two: join(scratch, 'two.code-workspace'),
      data: join(scratch, 'data'),
    });
  } finally {
    await browser?.close();
    await code?.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Runs host/test.cjs inside the extension host; returns whether it passed. */
function testHost() {
  return withEditor({ automation: true }, async ({ base, page, two }) => {
    const remote = (path) => `vscode-remote://${new URL(base).host}${path}`;
    let finish;
    const ended = new Promise((done) => (finish = done));
    const late = setTimeout(() => {
      console.log('FAIL the tests in the extension host did not end');
      finish(2);
    }, HOST_TIMEOUT_MS);
    let summary = false;
    await page.exposeFunction('codeAutomationLog', (_type, args) => {
      const line = args.map(String).join(' ');
      if (/^\d+ passed, 0 failed$/.test(line)) summary = true;
      if (/^(ok |not ok |\d+ passed)/.test(line)) console.log(line);
      else verbose(`${line}\n`);
    });
    await page.exposeFunction('codeAutomationExit', (code) => finish(code));
    const payload = [
      ['extensionDevelopmentPath', remote(join(here, 'host'))],
      ['extensionTestsPath', remote(join(here, 'host', 'test.cjs'))],
      ['skipWelcome', 'true'],
    ];
    await page.goto(`${base}/?workspace=${two}&payload=${encodeURIComponent(JSON.stringify(payload))}`);
    const code = await ended;
    clearTimeout(late);
    if (code !== 0)
      await page.screenshot({
        path: join(resolve(options.screens), 'vscode-host-failed.png'),
      });
    return code === 0 && summary;
  });
}

/** Has the package for browsers tried in a page. */
async function testInPage() {
  const scratch = mkdtempSync(join(tmpdir(), 'ptx-analyzer-page-'));
  let code, browser;
  try {
    const editors = resolve(options.editors);
    const workspace = join(here, 'workspace');
    code = await serveCode({ editors, vsix: resolve(options.web), workspace, scratch });
    browser = await openBrowser(editors);
    browser.page.on('console', (message) => verbose(`${message.text()}\n`));
    return await testWeb({ base: code.base, page: browser.page, workspace, screens: resolve(options.screens) });
  } finally {
    await browser?.close();
    await code?.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

const screens = resolve(options.screens);
const ptxas = process.env.PTXAS;
const wanted = (part) =>
  (part === 'web' ? options.web : options.vsix) !== undefined && (options.only === undefined || options.only === part);
let good = true;
if (wanted('host')) {
  console.log('# VS Code: extension host');
  good = (await testHost()) && good;
}
if (wanted('window')) {
  console.log('# VS Code: window');
  good = (await withEditor({}, (editor) => testWindow({ ...editor, screens }))) && good;
}
if (wanted('exact')) {
  console.log('# VS Code: exact mode');
  if (ptxas === undefined) console.log('skipped: PTXAS names no ptxas');
  else {
    // Not the variable of the editor itself, which takes that of a login shell instead.
    const PATH = `${dirname(ptxas)}:${process.env.PATH}`;
    const started = { asksForTrust: true, settings: { 'ptx-analyzer.server.extraEnv': { PATH } } };
    good = (await withEditor(started, (editor) => testExactMode({ ...editor, screens }))) && good;
  }
}
if (wanted('web')) {
  console.log('# VS Code for the Web');
  good = (await testInPage()) && good;
}
process.exitCode = good ? 0 : 1;
