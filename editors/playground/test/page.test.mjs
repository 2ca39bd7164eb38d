// The playground as a person uses it, in Chromium, with pictures, and how fast it is.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { launch } from './browser.mjs';
import { keys, large, shared } from './large.mjs';
import { serve } from './serve.mjs';

const top = fileURLToPath(new URL('../../../', import.meta.url));
const screens = `${top}target/editor-screens`;
mkdirSync(screens, { recursive: true });

/**
 * Milliseconds after navigation in which the diagnostics of 100 KB are there, and after a key. They hold if they are
 * named, which makes sense on a machine with nothing else to do.
 */
const FIRST = Number(process.env.PTX_WEB_FIRST ?? Infinity);
const KEY = Number(process.env.PTX_WEB_KEY ?? Infinity);

const mistakes = readFileSync(`${top}editors/tour/tour-mistakes.ptx`, 'utf8');
const copies = readFileSync(`${top}tests/fixtures/ptx/ampere_cp_async.ptx`, 'utf8');
const softmax = readFileSync(`${top}tests/fixtures/ptx/triton_softmax.ptx`, 'utf8');

const link = (text) => `playground/#text=${encodeURIComponent(text)}`;

let server;
let browser;
before(async () => {
  server = await serve(`${top}target/web`);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** A page whose errors fail the test. */
async function open(path, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('request', (request) => {
    if (!request.url().startsWith(server.address)) errors.push(`loads ${request.url()}`);
  });
  await page.goto(server.address + path);
  return {
    page,
    context,
    status: (text) => page.locator('#status', { hasText: text }).waitFor(),
    async close() {
      await context.close();
      assert.deepEqual(errors, []);
    },
  };
}

test('mistakes are told and their fixes applied', async () => {
  const { page, status, close } = await open(link(mistakes));
  await status(/[1-9]\d* errors/);
  const count = async () => Number.parseInt(await page.textContent('#status'), 10);
  const first = await count();
  await page.locator('.ptx-keyword').first().waitFor();
  await page.locator('#pane .fix').first().waitFor();
  await page.screenshot({ path: `${screens}/web-problems.png` });
  assert.match(await page.getAttribute('#pane .code >> nth=0', 'href'), /^\.\.\/diagnostics\/.+\.html$/);
  await page.locator('#pane .fix').first().click();
  await page.waitForFunction(
    (first) => Number.parseInt(document.querySelector('#status').textContent, 10) < first,
    first,
  );
  await close();
});

test('hover, completion, signature help and rename', async () => {
  const { page, status, close } = await open(link(softmax));
  await status('errors');
  await page.locator('.ptx-keyword', { hasText: 'shfl' }).first().hover();
  await page.locator('.cm-lsp-hover-tooltip, .cm-tooltip-hover').first().waitFor();
  assert.match(await page.textContent('.cm-tooltip-hover'), /shfl\.sync/);
  await page.screenshot({ path: `${screens}/web-hover.png` });
  await page.locator('.cm-line', { hasText: 'ret;' }).first().click();
  await page.keyboard.press('Home');
  await page.keyboard.type('\nld.glo');
  await page.locator('.cm-tooltip-autocomplete').waitFor();
  assert.match(await page.textContent('.cm-tooltip-autocomplete'), /global/);
  await page.screenshot({ path: `${screens}/web-completion.png` });
  await page.keyboard.press('Escape');
  await page.keyboard.type('bal.u32 ');
  await page.keyboard.press('Control+Shift+Space');
  await page.locator('.cm-lsp-signature-tooltip').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+z');
  await close();
});

test('questions that typing overtakes end quietly', async () => {
  const { page, status, close } = await open(link(softmax));
  await status('errors');
  const shown = await page.evaluate(async () => {
    const { view, nextProblems } = globalThis.playground;
    const type = (insert) => {
      const from = view.state.selection.main.head;
      const selection = { anchor: from + insert.length };
      view.dispatch({ changes: { from, insert }, selection, userEvent: 'input.type' });
    };
    view.dispatch({ selection: { anchor: view.state.doc.toString().indexOf('ret;') } });
    type('add.u32 %r1');
    // Each comma asks for signature help.
    for (let count = 0; count < 20; count += 1) {
      const told = nextProblems();
      type(',');
      await null;
      type(' ');
      await told;
    }
    return [...document.querySelectorAll('.cm-lsp-message')].map((it) => it.textContent);
  });
  assert.deepEqual(shown, []);
  await close();
});

test('every pane answers', async () => {
  const { page, status, close } = await open(link(softmax));
  await status('errors');
  await page.locator('.cm-line', { hasText: 'shfl' }).first().click();
  const pane = async (name, selector, text) => {
    await page.getByRole('tab', { name }).click();
    await page.locator(`#pane ${selector}`, { hasText: text }).first().waitFor();
    await page.screenshot({ path: `${screens}/web-${name.toLowerCase().replaceAll(' ', '-')}.png` });
  };
  await pane('Registers', 'figure svg', '');
  assert.match(await page.textContent('#pane'), /about \d+ registers/);
  await pane('Control flow', 'figure svg', '');
  await pane('Protocols', 'h3', '');
  await pane('Targets', 'li', 'sm_75');
  await pane('Syntax tree', 'pre', 'shfl');
  await page.getByRole('tab', { name: 'Explain' }).click();
  await page.locator('#pane input').fill('shfl.sync');
  await page.keyboard.press('Enter');
  await page.locator('#pane section', { hasText: 'Reads a register of another lane' }).first().waitFor();
  await page.screenshot({ path: `${screens}/web-explain.png` });
  // A click into a drawing leads to the text.
  await page.getByRole('tab', { name: 'Control flow' }).click();
  await page.locator('#pane figure .place').last().click();
  assert.ok(await page.evaluate(() => document.activeElement.closest('#editor') !== null));
  await close();
});

test('the target can be chosen, and texts compared', async () => {
  const { page, status, close } = await open(link(copies));
  await status('0 errors');
  await page.locator('#target option[value=sm_50]').waitFor({ state: 'attached' });
  await page.selectOption('#target', 'sm_50');
  await status(/[1-9]\d* error/);
  await page.selectOption('#target', '');
  await status('0 errors');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.locator('.cm-line', { hasText: 'ret;' }).first().click();
  await page.keyboard.press('Home');
  await page.keyboard.type('bar.sync 0;\n');
  await page.locator('#pane li', { hasText: '1 added' }).waitFor();
  await page.screenshot({ path: `${screens}/web-difference.png` });
  await close();
});

test('inline asm of CUDA C++ is checked', async () => {
  const text = '__device__ int lane() {\n  int r;\n  asm("mov.u32 %0, %%lanid;" : "=r"(r));\n  return r;\n}\n';
  const { page, status, close } = await open(link(text));
  await status(/[1-9]\d* error/);
  await page.locator('#pane li', { hasText: 'lanid' }).waitFor();
  await page.screenshot({ path: `${screens}/web-cuda.png` });
  await close();
});

test('a link carries the text, and the browser keeps it', async () => {
  const { page, status, context, close } = await open(link(mistakes));
  await status('errors');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Share' }).click();
  await page.locator('#message', { hasText: 'The link is' }).waitFor();
  const shared = page.url();
  assert.match(shared, /#code=[\w-]+$/);
  const other = await context.newPage();
  await other.goto(shared);
  await other.locator('#status', { hasText: 'errors' }).waitFor();
  assert.equal(await other.locator('.cm-line').first().textContent(), mistakes.split('\n')[0]);
  await other.locator('.cm-line').first().click();
  await other.keyboard.press('Control+Home');
  await other.keyboard.type('// kept\n');
  await other.waitForFunction(() => localStorage.getItem('ptx-analyzer.playground')?.includes('// kept'));
  const third = await context.newPage();
  await third.goto(`${server.address}playground/`);
  await third.locator('.cm-line', { hasText: '// kept' }).waitFor();
  await close();
});

test('it works without a network, in the dark, and by keyboard', async () => {
  const { page, status, context, close } = await open('playground/', { colorScheme: 'dark' });
  await status('errors');
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(async () => (await (await caches.open('ptx-analyzer')).keys()).length >= 6);
  await context.setOffline(true);
  await page.reload();
  await status('errors');
  await page.locator('.ptx-keyword').first().waitFor();
  await page.screenshot({ path: `${screens}/web-dark.png` });
  await page.getByRole('tab', { name: 'Problems' }).focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.getByRole('tab', { name: 'Run' }).getAttribute('aria-selected'), 'true');
  const unnamed = await page.evaluate(() =>
    [...document.querySelectorAll('button, select, input:not([hidden])')]
      .filter((it) => !(it.textContent.trim() || it.ariaLabel || it.labels?.length))
      .map((it) => it.outerHTML),
  );
  assert.deepEqual(unnamed, []);
  await close();
});

test('each key brings its diagnostics', async () => {
  const text = large();
  const { page, status, close } = await open(`playground/${shared(text)}`);
  await status(/[1-9]\d* errors/);
  const first = await page.evaluate(() => performance.getEntriesByName('diagnostics')[0].startTime);
  const times = await page.evaluate(keys, 60);
  const [p50, p95] = [times[30], times[57]];
  const size = (text.length / 1024).toFixed(0);
  console.log(
    `# ${size} KB: first diagnostics ${first.toFixed(0)} ms after navigation, key p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms`,
  );
  assert.ok(first <= FIRST, `${first} ms`);
  assert.ok(p95 <= KEY, `${p95} ms`);
  await close();
});
