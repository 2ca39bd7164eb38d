// What a person sees: drives the window of VS Code in a browser, asserts on what it shows, and keeps pictures of it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testBinaries } from './binaries.mjs';
import { testDebugging } from './debugging.mjs';
import { testEmbedded } from './embedded.mjs';
import { testKernel } from './kernel.mjs';
import { testPanels } from './panels.mjs';
import { personAt, until } from './person.mjs';

/** Runs the tests in the window at `base`; returns whether all passed. */
export async function testWindow({ base, page, workspace, data, screens }) {
  const person = personAt({ page, workspace, screens });
  const { clickOn, cursorOn, ended, hidden, hoverOver, key, line, lineNumber, openFile, picture } = person;
  const { runCommand, shown, squiggles, status, test, word } = person;
  const foreign = new Set();
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol.startsWith('http') && hostname !== '127.0.0.1') foreign.add(hostname);
  });

  await test('the window opens and finds the file', async () => {
    await page.goto(`${base}/?folder=${workspace}`);
    await page.waitForSelector('.monaco-workbench');
    await shown('.explorer-viewlet, .part.sidebar').waitFor();
    await openFile('broken.ptx');
  });

  await test('the language is PTX and the server is ready', async () => {
    await shown('.statusbar-item[id="status.editor.mode"]', 'PTX').waitFor();
    await status().locator('.codicon-check').waitFor();
  });

  await test('words are coloured by what they are', async () => {
    const colour = (locator) => locator.evaluate((span) => getComputedStyle(span).color);
    const opcode = await colour(await word('mul.lo.s32', 'mul'));
    const register = await colour(await word('mul.lo.s32', '%r2'));
    const comment = await colour(await word('Two mistakes', 'Two mistakes'));
    if (new Set([opcode, register, comment]).size !== 3) throw new Error(`${opcode} ${register} ${comment}`);
  });

  await test('both mistakes have red squiggles', async () => {
    await squiggles(2);
    await picture('squiggles');
  });

  await test('pointing at the undefined register tells the mistake', async () => {
    await hoverOver('mul.lo.s32', '%count', '%count');
    await picture('hover-error');
    await key('Escape');
  });

  await test('pointing at a register tells its declaration', async () => {
    const hover = await hoverOver('add.s32', '%r1', '%r<4>');
    const text = await hover.innerText();
    if (!/\.b32/.test(text)) throw new Error(text);
    await picture('hover-register');
    await page.mouse.move(5, 5);
    await key('Escape');
  });

  await test('pointing at an opcode explains the instruction', async () => {
    await openFile('saxpy.ptx');
    const hover = await hoverOver('fma.rn.f32', 'fma', 'PTX ISA');
    const text = await hover.innerText();
    if (!/fma\.rn\.f32/.test(text)) throw new Error(text);
    await picture('hover-instruction');
    await page.mouse.move(5, 5);
    await key('Escape');
  });

  await test('hovers show figures', async () => {
    await openFile('product.ptx');
    for (const [statement, text, name] of [
      ['mma.sync', 'mma', 'fragments'],
      ['mbarrier.try_wait', 'mbarrier', 'mbarrier'],
    ]) {
      const hover = await hoverOver(statement, text, 'PTX ISA');
      const figure = hover.locator('img[src^="data:image/svg+xml;base64,"]');
      await figure.scrollIntoViewIfNeeded();
      // A drawing that cannot be shown has no size.
      const width = await figure.evaluate((it) => it.complete && it.naturalWidth);
      if (!(width > 300)) throw new Error(`a figure ${width} wide`);
      await picture(`hover-figure-${name}`);
      await page.mouse.move(5, 5);
      await key('Escape');
    }
    await openFile('saxpy.ptx');
  });

  await test('completion offers the modifiers that can follow, and writes the chosen one', async () => {
    await clickOn('fma.rn.f32', 'fma');
    await key('End');
    await page.keyboard.type('\nld.global.');
    const widget = shown('.suggest-widget.visible .monaco-list-row', '.f32');
    await widget.waitFor();
    await picture('completion');
    await page.keyboard.type('nc');
    await shown('.suggest-widget.visible .monaco-list-row.focused', '.nc').waitFor();
    await key('Tab');
    await line('ld.global.nc').waitFor();
    await page.keyboard.type('.f32 ');
    await shown('.parameter-hints-widget.visible', 'ld.global.nc.f32 d, [a]').waitFor();
    await picture('signature');
    await key('Escape');
    await runCommand('File: Revert File');
    await hidden(line('ld.global.nc'));
  });

  await test('a document is formatted', async () => {
    await openFile('saxpy.ptx');
    await clickOn('fma.rn.f32', 'fma');
    await key('Home');
    await page.keyboard.type('            ');
    await runCommand('Format Document');
    // Operands of neighbours start in one column.
    await page.waitForFunction(() =>
      [...document.querySelectorAll('.editor-instance .view-line')].some((it) =>
        /mul\.wide\.u32[\s\u00a0]{2}%rd3/.test(it.textContent),
      ),
    );
    await picture('formatted');
    await runCommand('File: Revert File');
    await openFile('broken.ptx');
  });

  await test('the Problems panel lists both, and a click goes there', async () => {
    await key('Control+Shift+M');
    const row = shown('.markers-panel .monaco-list-row', '%count');
    await row.waitFor();
    await page.waitForFunction(() => document.querySelectorAll('.markers-panel .codicon-error').length === 2);
    await picture('problems');
    await row.dblclick();
    await cursorOn(lineNumber('%count'));
    await shown('.panel .action-label.codicon-panel-close, .panel .codicon-close').click();
    await hidden(shown('.markers-panel'));
  });

  await test('F12 goes to the write that gives a register its value', async () => {
    await openFile('saxpy.ptx');
    await clickOn('fma.rn.f32', '%f3');
    await key('F12');
    await cursorOn(lineNumber('ld.global.f32 %f3'));
    await picture('definition');
  });

  await test('F12 on a function goes to its body in another file', async () => {
    await clickOn('.extern .func', 'scale');
    await key('F12');
    await shown('.tab.active', 'scale.ptx').waitFor();
    await key('Control+Alt+-');
    await shown('.tab.active', 'saxpy.ptx').waitFor();
  });

  await test('Shift+F12 lists the references', async () => {
    await clickOn('setp.ge.u32', '%index');
    await key('Shift+F12');
    await shown('.peekview-widget .peekview-title', '4').waitFor();
    await picture('references');
    await key('Escape');
    await hidden(shown('.peekview-widget'));
  });

  await test('F2 renames everywhere', async () => {
    await clickOn('setp.ge.u32', '%index');
    await key('F2');
    await shown('.rename-box input').fill('%element');
    await shown('.rename-box input').press('End');
    await picture('rename');
    await key('Enter');
    await line('mad.lo.s32 %element').waitFor();
    await line('.reg .u32 %element').waitFor();
    await key('Control+z');
    await line('mad.lo.s32 %index').waitFor();
  });

  await test('the outline shows the kernel and what is in it', async () => {
    await key('Control+Shift+O');
    await shown('.quick-input-list .monaco-list-row', 'saxpy').waitFor();
    await picture('symbols');
    await key('Escape');
  });

  await test('a mended line loses its squiggle', async () => {
    await openFile('broken.ptx');
    await clickOn('mov.u32', 'mov');
    await key('End');
    await page.keyboard.type(';');
    await squiggles(1);
    await key('Control+z');
    await squiggles(2);
  });

  await test('the syntax tree opens beside the file', async () => {
    await runCommand('ptx-analyzer: Show Syntax Tree');
    await shown('.tab', 'syntax tree').waitFor();
    await page.locator('.editor-instance').nth(1).locator('.view-line', { hasText: '"broken"' }).first().waitFor();
    await picture('syntax-tree');
    await runCommand('View: Close All Editors');
    await hidden(shown('.tab'));
  });

  await test('the status bar item opens a menu', async () => {
    await openFile('saxpy.ptx');
    await status().click();
    for (const text of [
      'Show the registers',
      'Show the control flow',
      'Show the machine code',
      'Compare targets',
      'Restart the server',
    ])
      await shown('.quick-input-list .monaco-list-row', text).waitFor();
    await picture('menu');
    await key('Escape');
  });

  await test('a server that is killed comes back without a word', async () => {
    await openFile('broken.ptx');
    const [pid] = serverProcesses(data);
    process.kill(pid, 'SIGKILL');
    await until('another server', () => serverProcesses(data).some((other) => other !== pid));
    await status().locator('.codicon-check').waitFor();
    await squiggles(2);
    await hoverOver('add.s32', '%r1', '%r<4>');
    await key('Escape');
    const messages = await page.locator('.notification-toast').allInnerTexts();
    if (messages.length > 0) throw new Error(messages.join('\n---\n'));
  });

  await test('a wrong server path is said in a message that leads to the settings', async () => {
    const file = join(data, 'data', 'Machine', 'settings.json');
    const before = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      JSON.stringify({
        ...JSON.parse(before),
        'ptx-analyzer.server.path': '/no/such/ptx-analyzer',
      }),
    );
    const toast = shown('.notification-toast', '/no/such/ptx-analyzer');
    await toast.waitFor();
    await status().locator('.codicon-error').waitFor();
    await picture('wrong-path');
    const messages = await page.locator('.notification-toast').allInnerTexts();
    if (messages.length !== 1) throw new Error(`there are other messages: ${messages.join('\n---\n')}`);
    await toast.locator('.monaco-button, a', { hasText: 'Open settings' }).first().click();
    await shown('.settings-editor .setting-item', 'Server: Path').waitFor();
    await picture('settings');
    await key('Escape');
    await hidden(shown('.settings-editor'));
    writeFileSync(file, before);
    await openFile('broken.ptx');
    await status().locator('.codicon-check').waitFor();
    await squiggles(2);
  });

  await test('no other machine was asked for anything', () => {
    if (foreign.size > 0) throw new Error([...foreign].join(', '));
  });

  // From here on, for the pages of views and previews use a host name that exists in the browser only.
  await test('the installation notes open', async () => {
    await runCommand('ptx-analyzer: Show Installation Help');
    await shown('.tab.active', 'INSTALL').waitFor();
    const preview = page.frameLocator('iframe.webview').frameLocator('iframe');
    await preview.locator('h1', { hasText: 'How to install' }).waitFor();
    await picture('install');
    await runCommand('View: Close All Editors');
  });

  await testEmbedded({ page, ...person });
  await runCommand('View: Close All Editors');

  await testDebugging({ page, ...person });
  await testPanels({ page, ...person });
  await testKernel({ page, ...person });
  await testBinaries({ page, workspace, ...person });

  return ended();
}

/** The process ids of the language servers that the editor with this data folder has started (Linux). */
function serverProcesses(data) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [program, command] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return program.startsWith(data) && program.endsWith('/server/ptx-analyzer') && command === 'lsp';
      } catch {
        return false; // It has ended meanwhile.
      }
    });
}
