// Starts VS Code's own server, as `setup-vscode.sh` has installed it, on a free port of this machine.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Settings under which the editor keeps to itself, and looks the same every time. */
export const QUIET_SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.colorTheme': 'Default Dark Modern',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  // The web workbench saves by itself otherwise.
  'files.autoSave': 'off',
  'git.openRepositoryInParentFolders': 'never',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'chat.disableAIFeatures': true,
  'editor.minimap.enabled': false,
};

/** How long the server may take until it listens. */
const START_TIMEOUT_MS = 60_000;

/**
 * Installs `vsix` and starts the server.
 *
 * `editors` is the folder of `setup-vscode.sh`, `data` a folder for everything that the editor writes.
 * With `automation` the workbench runs test modules that its address names; it then shows no notifications.
 * With `asksForTrust` it asks whether its folders are trusted, which it otherwise takes for granted.
 * Returns the address of the server, its process, and a function that stops it.
 */
export async function startCode({
  editors,
  data,
  vsix,
  settings = {},
  automation = false,
  asksForTrust = false,
  log = () => {},
}) {
  const install = join(editors, 'vscode');
  const node = join(install, 'node');
  if (!existsSync(node)) throw new Error(`VS Code is not installed in ${install}; run tests/editors/setup-vscode.sh.`);

  mkdirSync(join(data, 'data', 'User'), { recursive: true });
  mkdirSync(join(data, 'data', 'Machine'), { recursive: true });
  const trust = { 'security.workspace.trust.enabled': asksForTrust };
  writeFileSync(join(data, 'data', 'User', 'settings.json'), JSON.stringify({ ...QUIET_SETTINGS, ...trust }, null, 2));
  writeFileSync(
    join(data, 'data', 'Machine', 'settings.json'),
    JSON.stringify({ ...QUIET_SETTINGS, ...trust, ...settings }, null, 2),
  );

  // An empty gallery address keeps the editor from asking any other machine for anything.
  const env = {
    ...process.env,
    HOME: data,
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
  };
  const args = [
    join(install, 'code', 'out', 'server-main.js'),
    '--accept-server-license-terms',
    ...['--server-data-dir', data, '--user-data-dir', join(data, 'data'), '--extensions-dir', join(data, 'extensions')],
    ...['--telemetry-level', 'off'],
  ];
  const installed = spawnSync(node, [...args, '--install-extension', vsix, '--force'], { env, encoding: 'utf8' });
  log(`${installed.stdout}${installed.stderr}`);
  if (installed.status !== 0)
    throw new Error(`The extension could not be installed:\n${installed.stdout}${installed.stderr}`);

  const server = spawn(
    node,
    [
      ...args,
      ...['--host', '127.0.0.1', '--port', '0', '--without-connection-token'],
      ...(asksForTrust ? [] : ['--disable-workspace-trust']),
      ...(automation ? ['--enable-smoke-test-driver'] : []),
    ],
    // A group of its own, so that the extension host and the language server end with it.
    { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  // However this process ends, no editor may keep running.
  process.once('exit', () => {
    try {
      process.kill(-server.pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  });
  const stop = async () => {
    const ended = server.exitCode !== null ? Promise.resolve() : new Promise((done) => server.once('exit', done));
    try {
      process.kill(-server.pid, 'SIGTERM');
      const late = setTimeout(() => process.kill(-server.pid, 'SIGKILL'), 5_000);
      await ended;
      clearTimeout(late);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  };

  const base = await new Promise((done, fail) => {
    let output = '';
    const late = setTimeout(() => fail(new Error(`VS Code's server does not listen:\n${output}`)), START_TIMEOUT_MS);
    const read = (chunk) => {
      log(String(chunk));
      output += chunk;
      const port = /Web UI available at http:\/\/[^/\s]+:(\d+)/.exec(output)?.[1];
      if (port === undefined) return;
      clearTimeout(late);
      output = '';
      done(`http://127.0.0.1:${port}`);
    };
    server.stdout.on('data', read);
    server.stderr.on('data', read);
    server.once('exit', (code) => {
      clearTimeout(late);
      fail(new Error(`VS Code's server ended with ${code}:\n${output}`));
    });
  }).catch(async (error) => {
    await stop();
    throw error;
  });
  return { base, server, stop };
}
