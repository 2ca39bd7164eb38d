// A headless Chromium that can reach this machine only.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Opens the browser; `editors` is the folder of `setup-vscode.sh`. Returns its page and a function that closes it. */
export async function openBrowser(editors) {
  const require = createRequire(join(editors, 'vscode', 'package.json'));
  const { chromium } = require('playwright-core');
  const profile = mkdtempSync(join(tmpdir(), 'ptx-analyzer-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    viewport: { width: 1280, height: 760 },
    args: [
      // Chromium's sandbox needs rights that a container seldom has; only pages of this machine are opened.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE *.localhost',
    ],
  });
  const page = context.pages()[0] ?? (await context.newPage());
  const close = async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  };
  return { page, close };
}
