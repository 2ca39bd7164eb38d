// The extension in VS Code for the Web: a page without a server, with a folder that is nowhere on disk.
import { personAt } from './person.mjs';

/** Runs the tests in the window at `base`; returns whether all passed. */
export async function testWeb({ base, page, workspace, screens }) {
  const person = personAt({ page, workspace, screens, searches: false });
  const { cursorOn, ended, hidden, hoverOver, key, line, lineNumber, openFile, quickInput } = person;
  const { runCommand, shown, squiggles, status, test, word } = person;
  const picture = (name) => person.picture(`web-${name}`);
  const foreign = new Set();
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol.startsWith('http') && !hostname.endsWith('.localhost')) foreign.add(request.url());
  });
  /** The page of the panel that is in front, below the two frames of the editor. */
  const panel = () => page.frameLocator('iframe.webview.ready').last().frameLocator('iframe');
  const heading = (text) => panel().locator('h1', { hasText: text });
  const closeAll = async () => {
    await runCommand('View: Close All Editors');
    await hidden(shown('.tab'));
  };

  await test('the page opens, and its folder', async () => {
    await page.goto(base);
    await page.waitForSelector('.monaco-workbench');
    await shown('.explorer-viewlet .monaco-list-row', 'broken.ptx').waitFor({ timeout: 60_000 });
    const start = Date.now();
    await openFile('broken.ptx');
    await squiggles(2);
    console.log(
      `# from the click on a file to its diagnostics, with the start of the server: ${Date.now() - start} ms`,
    );
    await picture('squiggles');
  });

  await test('the server is ready and says where it runs', async () => {
    await shown('.statusbar-item[id="status.editor.mode"]', 'PTX').waitFor();
    await status().locator('.codicon-check').waitFor();
    await status().hover();
    await shown('.monaco-hover:visible', 'runs in this browser').waitFor();
    await page.mouse.move(5, 5);
  });

  await test('pointing at an undefined register tells the mistake, at an instruction its documentation', async () => {
    await hoverOver('mul.lo.s32', '%count', '%count');
    await key('Escape');
    await openFile('saxpy.ptx');
    const hover = await hoverOver('fma.rn.f32', 'fma', 'PTX ISA');
    const text = await hover.innerText();
    if (!/fma\.rn\.f32/.test(text)) throw new Error(text);
    await picture('hover');
    await page.mouse.move(5, 5);
    await key('Escape');
  });

  await test('completion and signature help', async () => {
    await (await word('fma.rn.f32', 'fma')).click();
    await key('End');
    await page.keyboard.type('\nld.global.');
    await shown('.suggest-widget.visible .monaco-list-row', '.f32').waitFor();
    await page.keyboard.type('nc');
    await shown('.suggest-widget.visible .monaco-list-row.focused', '.nc').waitFor();
    await picture('completion');
    await key('Tab');
    await line('ld.global.nc').waitFor();
    await page.keyboard.type('.f32 ');
    await shown('.parameter-hints-widget.visible', 'ld.global.nc.f32 d, [a]').waitFor();
    await key('Escape');
    await runCommand('File: Revert File');
    await hidden(line('ld.global.nc'));
  });

  await test('F12 goes to a file of the folder that is not open', async () => {
    const text = '.func (.param .b32 result) ';
    const column = person.columnAfter(text);
    await quickInput('Control+g', `:${lineNumber(text)}:${column}`);
    await cursorOn(lineNumber(text));
    await key('F12');
    await shown('.tab.active', 'scale.ptx').waitFor();
    await openFile('saxpy.ptx');
  });

  await test('F2 renames everywhere', async () => {
    await (await word('setp.ge.u32', '%index')).click();
    await key('F2');
    await shown('.rename-box input').fill('%element');
    await picture('rename');
    await key('Enter');
    await line('mad.lo.s32 %element').waitFor();
    await line('.reg .u32 %element').waitFor();
    await key('Control+z');
    await line('mad.lo.s32 %index').waitFor();
  });

  await test('a mended line loses its squiggle', async () => {
    await openFile('broken.ptx');
    await (await word('mov.u32', 'mov')).click();
    await key('End');
    await page.keyboard.type(';');
    await squiggles(1);
    await key('Control+z');
    await squiggles(2);
  });

  await test('inline asm of CUDA C++ is checked', async () => {
    await openFile('asm.cu');
    await shown('.editor-instance .squiggly-error').waitFor();
    await picture('cuda');
  });

  await test('the register panel shows the kernel, and a click on the chart goes to the line', async () => {
    await openFile('sum.ptx');
    await runCommand('View: Close Primary Side Bar');
    await (await word('add.s32 %total', 'add')).click();
    await runCommand('ptx-analyzer: Show Registers');
    await heading('Registers: sum.ptx').waitFor();
    const number = lineNumber('call (answer)');
    const bar = panel()
      .locator(`figure [data-line="${number - 1}"]`)
      .first();
    await bar.waitFor({ state: 'attached' });
    await page.mouse.move(5, 5);
    await picture('registers');
    await bar.click({ force: true });
    await cursorOn(number);
    // Commands about a text are offered while it has the focus.
    const focus = async () => (await word('add.s32 %total', 'add')).click();
    await focus();
    await runCommand('ptx-analyzer: Show Control Flow');
    await heading('Control flow: sum').waitFor();
    await picture('control-flow');
    await focus();
    await runCommand('ptx-analyzer: Compare Targets');
    await heading('Targets: sum.ptx').waitFor();
    await panel().locator('.matrix thead th', { hasText: 'no errors' }).first().waitFor();
    await picture('targets');
    await closeAll();
    await runCommand('View: Toggle Primary Side Bar Visibility');
  });

  await test('commands that need programs are not offered', async () => {
    await openFile('sum.ptx');
    await key('F1');
    const input = shown('.quick-input-box input');
    await input.fill('>ptx-analyzer: ');
    await shown('.quick-input-list .monaco-list-row', 'Show Registers').waitFor();
    await picture('commands');
    for (const name of ['Run ptxas Now', 'Show Machine Code', 'Extract PTX', 'Compare With…', 'How to Install']) {
      await input.fill(`>ptx-analyzer: ${name}`);
      await page.waitForTimeout(300);
      const rows = await page.locator('.quick-input-list .monaco-list-row').allInnerTexts();
      if (rows.some((it) => it.includes(name))) throw new Error(rows.join('\n'));
    }
    await key('Escape');
    await hidden(shown('.quick-input-widget'));
  });

  await test('the server can be restarted', async () => {
    await openFile('broken.ptx');
    await runCommand('ptx-analyzer: Restart Server');
    await status().locator('.codicon-check').waitFor();
    await squiggles(2);
    await hoverOver('add.s32', '%r1', '%r<4>');
    await key('Escape');
    const messages = await page.locator('.notification-toast').allInnerTexts();
    if (messages.length > 0) throw new Error(messages.join('\n---\n'));
  });

  await test('a text without a file is checked', async () => {
    await quickInput('F1', '>ptx-analyzer: Open Example', 'Open Example');
    await shown('.editor-instance .squiggly-error').waitFor();
  });

  await test('no other machine was asked for anything', () => {
    if (foreign.size > 0) throw new Error([...foreign].join(', '));
  });

  return ended();
}
