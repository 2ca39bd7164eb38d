// The real ptxas as a person meets it: a folder that is not trusted yet, exact figures, and a ptxas that is not there
// or hangs. `PTXAS` names the program.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { personAt } from './person.mjs';

/** Runs the tests in a window that asks for trust, with ptxas on its PATH; returns whether all passed. */
export async function testExactMode({ base, page, workspace, data, screens }) {
  const person = personAt({ page, workspace, screens });
  const {
    clickOn,
    cursorOn,
    ended,
    hidden,
    key,
    line,
    lineNumber,
    openFile,
    picture,
    runCommand,
    shown,
    status,
    test,
  } = person;
  const toast = (text) => shown('.notification-toast', text);
  /** Closes the message with this text. */
  const dismiss = async (text) => {
    await runCommand('Notifications: Clear All Notifications');
    await hidden(toast(text));
  };
  const lens = (text) => shown('.editor-instance .codelens-decoration', text);

  await test('without trust all works but ptxas', async () => {
    await page.goto(`${base}/?folder=${workspace}`);
    await page.waitForSelector('.monaco-workbench');
    await shown('.statusbar-item', 'Restricted Mode').waitFor();
    await openFile('sum.ptx');
    await status().locator('.codicon-check').waitFor();
    await lens('regs').waitFor();
    await runCommand('ptx-analyzer: Run ptxas Now');
    await toast('the open folder is not trusted').waitFor();
    await picture('not-trusted');
  });

  await test('the message leads to where trust is granted, and then ptxas says the figures', async () => {
    await toast('not trusted').locator('.monaco-button, a', { hasText: 'Manage workspace trust' }).first().click();
    await shown('.workspace-trust-editor .monaco-button', 'Trust').click();
    await hidden(shown('.statusbar-item', 'Restricted Mode'));
    await openFile('sum.ptx');
    await status().locator('.codicon-check').waitFor();
    await runCommand('ptx-analyzer: Run ptxas Now');
    await shown('.statusbar-item', /ptxas 13\.5\.37 for sm_80: sum \d+ registers/).waitFor();
    await lens(/✓ \d+ regs/).waitFor();
    await picture('exact');
  });

  await test('the panel shows them too', async () => {
    const registers = /✓ (\d+) regs/.exec(await lens(/✓ \d+ regs/).innerText())[1];
    await runCommand('View: Close Primary Side Bar');
    await runCommand('ptx-analyzer: Show Registers');
    const panel = page.frameLocator('iframe.webview.ready').last().frameLocator('iframe#active-frame');
    await panel.locator('.row .fact[title="Said by ptxas."]', { hasText: `${registers} registers` }).waitFor();
    // Away from the text, whose explanation would cover the panel.
    await page.mouse.move(640, 4);
    await hidden(shown('.monaco-hover'));
    await picture('exact-panel');
    await runCommand('View: Close All Editors');
  });

  await test('machine code and text lead to each other', async () => {
    await openFile('sum.ptx');
    await clickOn('add.s32 %total', 'add');
    await runCommand('ptx-analyzer: Show Machine Code');
    const panel = page.frameLocator('iframe.webview.ready').last().frameLocator('iframe#active-frame');
    // The row of the statement at the cursor is marked, and says what its opcode does.
    const current = panel.locator('.code .instruction.current', { hasText: 'IADD' }).first();
    await current.waitFor();
    const title = await current.getAttribute('title');
    if (!/integers/.test(title)) throw new Error(title);
    await page.mouse.move(640, 4);
    await hidden(shown('.monaco-hover'));
    await picture('machine-code');
    // The instruction is next to its address and is seen whole; a click on a head sorts.
    const cut = await panel.locator('.code').evaluate((code) => {
      const { right } = code.closest('.pane').getBoundingClientRect();
      const texts = [...code.querySelectorAll('.instruction:not(.wide) > span:nth-child(2)')];
      return texts.filter((it) => it.scrollWidth > it.clientWidth || it.getBoundingClientRect().right > right).length;
    });
    if (cut > 0) throw new Error(`${cut} instructions are cut`);
    await panel.locator('.head .stall').click();
    await panel.locator('.head .stall', { hasText: '▾' }).waitFor();
    const stalls = await panel.locator('.code .instruction .stall').allInnerTexts();
    const figures = stalls.filter((it) => it !== '').map(Number);
    if (figures.length < 5 || figures.some((it, index) => it > (figures[index - 1] ?? it)))
      throw new Error(stalls.join());
    await panel.locator('.head button', { hasText: 'addr' }).click();
    await panel.locator('.columns label', { hasText: 'stall' }).locator('input').uncheck();
    await panel.locator('.head .stall').waitFor({ state: 'detached' });
    await panel.locator('.columns label', { hasText: 'stall' }).locator('input').check();
    await panel
      .locator('.code .block', { hasText: /global: \d+ (load|store)/ })
      .first()
      .waitFor();
    // A page that begins anew shows the cursor as well: it may be slower than ptxas.
    await runCommand('Developer: Reload Webviews');
    await current.waitFor();
    // Another target beside it, in which the same statement is marked.
    await panel.getByText('Another Target Beside…').click();
    await shown('.quick-input-list .monaco-list-row', 'sm_90').first().click();
    const beside = panel.locator('.pane').nth(1);
    await beside.locator('.head', { hasText: 'sm_90' }).waitFor();
    await beside.locator('.instruction.current', { hasText: 'IADD' }).first().waitFor();
    await picture('machine-code-two-targets');
    await panel.getByText('One Target Only').click();
    await beside.waitFor({ state: 'detached' });
    const store = panel.locator('.code .instruction', { hasText: 'STG' }).first();
    await store.click();
    await cursorOn(lineNumber('st.global'));
    await runCommand('View: Close All Editors');
  });

  await test('what only ptxas finds is a problem after saving, until it is mended', async () => {
    await openFile('saxpy.ptx');
    await line('.target sm_80').click();
    await key('End');
    await key('Backspace');
    await key('Backspace');
    await page.keyboard.type('90');
    await key('Escape');
    await clickOn('.visible .entry', 'saxpy');
    await key('Home');
    await page.keyboard.type('.extern .func (.param .b32 status) cudaDeviceSynchronize;\n');
    await clickOn('mov.u32 %r2', 'mov');
    await key('Home');
    await page.keyboard.type('{ .param .b32 status; call (status), cudaDeviceSynchronize; }\n');
    await key('Control+s');
    await key('Control+Shift+M');
    const row = shown('.markers-panel .monaco-list-row', 'Unsupported Function');
    await row.waitFor();
    await shown('.markers-panel .monaco-list-row', 'ptxas').waitFor();
    await picture('exact-problem');
    await line('call (status)').click();
    await key('Home');
    await page.keyboard.type('//');
    await key('Control+s');
    await hidden(row);
    await key('Control+Shift+M');
  });

  const settingsFile = join(data, 'data', 'Machine', 'settings.json');
  const before = readFileSync(settingsFile, 'utf8');
  const set = (settings) => writeFileSync(settingsFile, JSON.stringify({ ...JSON.parse(before), ...settings }));

  await test('a ptxas that is not there is named, with a way to the settings', async () => {
    set({ 'ptx-analyzer.ptxas.path': '/no/such/ptxas' });
    await openFile('sum.ptx');
    // The settings take a moment to get to the server, and a message of before must not count.
    await page.waitForTimeout(2_000);
    await runCommand('ptx-analyzer: Run ptxas Now');
    const message = toast('/no/such/ptxas: there is no such program');
    await message.waitFor();
    await picture('no-ptxas');
    await message.locator('.monaco-button, a', { hasText: 'Open settings' }).first().click();
    await shown('.settings-editor').waitFor();
    await key('Escape');
    await hidden(shown('.settings-editor'));
    await runCommand('View: Close All Editors');
  });

  await test('without ptxas the machine code panel says how to get it, and asks where it is', async () => {
    await runCommand('Notifications: Clear All Notifications');
    await openFile('sum.ptx');
    await clickOn('add.s32 %total', 'add');
    await runCommand('ptx-analyzer: Show Machine Code');
    const panel = page.frameLocator('iframe.webview.ready').last().frameLocator('iframe#active-frame');
    await panel.locator('.note code', { hasText: 'pip install nvidia-cuda-nvcc' }).waitFor();
    await page.mouse.move(640, 4);
    await hidden(shown('.monaco-hover'));
    await picture('no-ptxas-panel');
    await panel.locator('.choice', { hasText: 'Choose ptxas…' }).click();
    // The dialog of the editor for files of the machine where the server runs.
    await shown('.quick-input-widget', 'Choose ptxas').waitFor();
    await key('Escape');
    await hidden(shown('.quick-input-widget', 'Choose ptxas'));
    await runCommand('View: Close All Editors');
    await runCommand('Notifications: Clear All Notifications');
  });

  await test('a ptxas that hangs is ended; meanwhile the editor works and says what runs', async () => {
    const program = join(data, 'ptxas-that-hangs');
    writeFileSync(program, "#!/bin/sh\ncase $1 in --version) echo 'release 13.5, V13.5.37'; exit ;; esac\nsleep 60\n");
    chmodSync(program, 0o755);
    set({ 'ptx-analyzer.ptxas.path': program, 'ptx-analyzer.ptxas.timeout': 4 });
    await openFile('broken.ptx');
    await page.waitForTimeout(2_000);
    await runCommand('ptx-analyzer: Run ptxas Now');
    await status().locator('.codicon-sync').waitFor();
    await picture('ptxas-runs');
    await clickOn('mul.lo.s32', '%count');
    await key('Control+Space');
    await shown('.suggest-widget.visible').waitFor();
    await key('Escape');
    await toast('ptxas took longer than 4 s and was ended').waitFor();
    await picture('ptxas-hangs');
    await dismiss('took longer');
    await line('mul.lo.s32').waitFor();
    writeFileSync(settingsFile, before);
  });

  return ended();
}
