// Serves VS Code with a package of the extension to a browser on this machine, until Ctrl+C.
//
//   node open.mjs --editors DIR --vsix FILE --file FILE.ptx
//
// Prints the address, and opens it where there is a desktop.
import { spawn } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startCode } from './code-server.mjs';

const { values: options } = parseArgs({
  options: {
    editors: { type: 'string' },
    vsix: { type: 'string' },
    file: { type: 'string' },
  },
});
const file = resolve(options.file);
console.log("Starting VS Code's server ...");
const { base, server, stop } = await startCode({
  editors: resolve(options.editors),
  // Kept, so that the next start finds its window as it was left.
  data: join(resolve(options.editors), 'vscode-data'),
  vsix: resolve(options.vsix),
});

const remote = `vscode-remote://${new URL(base).host}${file}`;
const payload = JSON.stringify([['openFile', remote]]);
const address = `${base}/?folder=${encodeURIComponent(dirname(file))}&payload=${encodeURIComponent(payload)}`;
console.log(`\nOpen this address in a browser on this machine:\n\n  ${address}\n\nCtrl+C ends it.`);

const opener = process.env.BROWSER ?? (process.env.DISPLAY || process.env.WAYLAND_DISPLAY ? 'xdg-open' : undefined);
if (opener) {
  spawn(opener, [address], { detached: true, stdio: 'ignore' })
    .on('error', () => undefined) // The address is printed all the same.
    .unref();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => void stop());
server.once('exit', (code) => {
  process.exitCode = code && code > 0 ? 1 : 0;
});
