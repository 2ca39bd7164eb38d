// Runs and debugs kernels in the playground and in pages of the book, in Chromium, with pictures.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { launch } from './browser.mjs';
import { serve } from './serve.mjs';

const top = fileURLToPath(new URL('../../../', import.meta.url));
const screens = `${top}target/editor-screens`;
mkdirSync(screens, { recursive: true });

const HEADER = '.version 8.0\n.target sm_90\n.address_size 64\n';
const LAUNCH = '// run: grid = 1 block = 32 args.p = { zeros = [32], type = "u32" } expect.p = { value = 7 }\n';
/** The lower half of the warp stores 7, and the upper half 9. */
const kernel = (launch) => `${HEADER}${launch}.entry k(.param .u64 p)
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<3>;
    .reg .pred %q;
    ld.param.u64 %rd0, [p];
    cvta.to.global.u64 %rd1, %rd0;
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd2, %r0, 4;
    add.s64 %rd1, %rd1, %rd2;
    setp.lt.u32 %q, %r0, 16;
    @%q bra $half;
    mov.u32 %r1, 9;
    bra $end;
$half:
    mov.u32 %r1, 7;
$end:
    st.global.u32 [%rd1], %r1;
    ret;
}
`;

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

async function open(path, prepare = async () => undefined) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await prepare(page);
  await page.goto(server.address + path);
  return {
    page,
    status: (text) => page.locator('#pane .run > .note', { hasText: text }).waitFor(),
    async close() {
      await context.close();
      assert.deepEqual(errors, []);
    },
  };
}

test('a kernel runs, and its arrays and expectations are shown', async () => {
  const { page, status, close } = await open(`playground/#run=${encodeURIComponent(kernel(LAUNCH))}`);
  await status(/k ran to its end after \d+ instructions of warps, no findings/);
  const text = await page.textContent('#pane');
  assert.match(text, /p: 16 of 32 elements differ; \[16\] is 9, expected 7/);
  assert.match(text, /p: u32 32/);
  await page.screenshot({ path: `${screens}/web-run.png` });
  await close();
});

test('findings lead to their lines', async () => {
  const text = kernel(LAUNCH).replace('%r0, 4;', '%r0, 8;');
  const { page, status, close } = await open(`playground/#run=${encodeURIComponent(text)}`);
  await status(/1 finding/);
  assert.match(await page.textContent('#pane .problems'), /line 22.*out-of-bounds/s);
  await close();
});

test('an entry without a run gets one', async () => {
  const { page, status, close } = await open(`playground/#text=${encodeURIComponent(kernel(''))}`);
  await page.locator('#status', { hasText: '0 errors' }).waitFor();
  await page.locator('#tab-run').click();
  await page.locator('#pane button', { hasText: /^Run$/ }).click();
  await page.locator('#pane button', { hasText: 'Add a run' }).click();
  await page.locator('.cm-line', { hasText: '// run: grid = 1 block = 128' }).waitFor();
  await page.locator('#pane button', { hasText: /^Run$/ }).click();
  await status(/k ran to its end/);
  await close();
});

test('steps, breakpoints, lanes, and back again', async () => {
  const { page, status, close } = await open(`playground/#step=${encodeURIComponent(kernel(LAUNCH))}`);
  await status('Stopped at the start');
  const line = async () => (await page.locator('.ptx-stop').textContent()).trim();
  assert.match(await line(), /^ld\.param/);
  // A breakpoint left of the store, where the halves of the warp come together.
  const store = page.locator('.cm-line', { hasText: 'st.global' });
  const [box, gutter] = [await store.boundingBox(), await page.locator('.cm-breakpoints').boundingBox()];
  await page.mouse.click(gutter.x + gutter.width / 2, box.y + box.height / 2);
  await page.locator('.breakpoint:not(.spacer)').waitFor();
  for (const wanted of [/^cvta/, /^mov\.u32 %r0/, /^mul/]) {
    await page.locator('#pane button', { hasText: /^Step$/ }).click();
    await page
      .locator('.ptx-stop', { hasText: wanted.source.includes('r0') ? '%tid.x' : wanted.source.slice(1) })
      .waitFor();
  }
  await page.locator('.ptx-value', { hasText: '%r0 = 0 (lane)' }).first().waitFor();
  await page.keyboard.press('F8');
  await page.locator('.ptx-stop', { hasText: 'st.global' }).waitFor();
  await status(/breakpoint/);
  assert.equal(await page.locator('#pane .lanes tr').count(), 33);
  await page.screenshot({ path: `${screens}/web-debug.png` });
  await page.keyboard.press('Shift+F10');
  await page.locator('.ptx-stop', { hasText: 'mov.u32 %r1' }).waitFor();
  // Lanes of the other branch are elsewhere.
  await page.locator('#pane .lanes tr.other').first().waitFor();
  await page.locator('#pane button', { hasText: /^Stop$/ }).click();
  await status('The run was ended.');
  assert.equal(await page.locator('.ptx-stop').count(), 0);
  await close();
});

/** Opens a page of the book with these elements. */
function openBook(html) {
  const scripts = ['server', 'kernels', 'calculators'].map((name) =>
    readFileSync(`${top}server/src/cli/site/${name}.js`, 'utf8'),
  );
  const body = `<!doctype html><title>A page</title><script>const path_to_root = '';</script>
    ${html}<script>${scripts.join('\n')}</script>`;
  return open('book.html', (page) =>
    page.route('**/book.html', (route) => route.fulfill({ contentType: 'text/html', body })),
  );
}

test('kernels of the book are checked and run in its pages', async () => {
  const escaped = kernel(LAUNCH).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const html = `
    <pre><code class="language-ptx">${escaped}</code></pre>
    <pre><code class="language-ptx">add.u32 %r1, %r2, 1;</code></pre>`;
  const { page, close } = await openBook(html);
  assert.equal(await page.locator('.ptx-kernel').count(), 1);
  await page.locator('button', { hasText: 'Check' }).click();
  await page.locator('.ptx-outcome', { hasText: 'No problems.' }).waitFor();
  await page.locator('button', { hasText: 'Run' }).click();
  await page.locator('.ptx-outcome', { hasText: 'p: 16 of 32 elements differ' }).waitFor();
  assert.match(await page.locator('a', { hasText: 'Step' }).getAttribute('href'), /playground\/index\.html#step=/);
  await close();
});

test('calculators of the book answer in its pages', async () => {
  const { page, close } = await openBook(`
    <form class="ptx-calculator" data-name="swizzle">
      <label>mode <input name="mode" value=""></label>
      <label>row <input name="row" value="3"></label>
      <label>byte <input name="byte" value="32"></label>
      <button>Compute</button>
    </form>
    <div class="ptx-answer" role="status">Nothing yet.</div>`);
  const answer = page.locator('.ptx-answer');
  await page.locator('button', { hasText: 'Compute' }).click();
  await answer.locator('p', { hasText: 'Row 3, byte 32 is at 0x190' }).waitFor();
  assert.equal(await answer.locator('tbody tr').count(), 8);
  await page.getByLabel('mode').fill('96');
  await page.getByLabel('mode').press('Enter');
  await answer.locator('p', { hasText: 'expected none, 32, 64, 128' }).waitFor();
  await close();
});
