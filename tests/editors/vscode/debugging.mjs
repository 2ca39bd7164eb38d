// The debugger as a person uses it: the lens above a kernel, a finding, values, lanes, a step back.

/** Runs the tests of the debugger with the tools of the window tests. */
export async function testDebugging({
  page,
  test,
  picture,
  shown,
  runCommand,
  openFile,
  clickFor,
  clickOn,
  key,
  line,
  lineNumber,
  hidden,
}) {
  /** The page of the lanes, below the two frames of the editor. */
  const lanes = () => page.frameLocator('iframe.webview.ready').last().frameLocator('iframe');
  const button = (name) => shown(`.debug-toolbar .codicon-debug-${name}`);
  const stoppedAt = (number) =>
    shown('.debug-call-stack .monaco-list-row', `${number}:`)
      .or(shown('.debug-call-stack .stack-frame', `${number}:`))
      .first()
      .waitFor();

  /** Debugs the kernel of a file by its lens, up to its first instruction. */
  const debug = async (name, first) => {
    await openFile(name);
    const lens = shown('.codelens-decoration a', 'Debug');
    // Lenses that come while they are out of sight keep the commands of the list before, which VS Code has thrown away,
    // until the editor scrolls and has time to draw.
    const before = async () => {
      await key('Control+End');
      await key('Control+Home');
      await lens.waitFor();
    };
    await clickFor(lens, shown('.debug-toolbar'), { before });
    await stoppedAt(lineNumber(first));
  };
  const stop = async () => {
    await button('stop').click();
    await hidden(shown('.debug-toolbar'));
  };

  await runCommand('View: Show Run and Debug');

  await test('the lens above a kernel debugs it', async () => {
    await debug('reverse.ptx', 'ld.param.u64');
    // The variables have the room.
    for (const pane of ['Watch', 'Breakpoints']) await shown('.pane-header', pane).click();
  });

  await test('a race stops the kernel, and says between which lines', async () => {
    await button('continue').click();
    await shown('.exception-widget', 'race').waitFor();
    await stoppedAt(lineNumber('ld.shared.u32'));
  });

  await test('values are in the text', async () => {
    // Of the last write of a register before the stop.
    await line('mov.u32 %r3, tile').locator('span', { hasText: '%r3 = ' }).first().waitFor();
    await page.mouse.move(640, 4);
    await picture('debug-race');
  });

  await test('the lanes of the warp are next to each other', async () => {
    await shown('.part.panel .composite-bar .action-label', 'PTX Lanes').click();
    await lanes().locator('.lanes tbody tr').nth(31).waitFor({ state: 'attached' });
    await lanes().locator('.lanes th', { hasText: '%r5' }).waitFor();
    await lanes().locator('.note', { hasText: '2-way bank conflict' }).waitFor();
    await lanes().locator('.lanes td.bank').nth(31).waitFor({ state: 'attached' });
    // A click on a lane shows its values everywhere.
    await lanes().locator('.lanes tbody tr').nth(2).locator('button').first().click();
    await lanes().locator('.lanes tr.focus').locator('button', { hasText: /^2$/ }).waitFor();
    await picture('debug-lanes');
  });

  await test('a step back undoes an instruction', async () => {
    await button('step-back').click();
    await stoppedAt(lineNumber('mad.lo.u32 %r5'));
    await stop();
  });

  await test('an mbarrier shows the phase that a wait should have named', async () => {
    await debug('parity.ptx', 'ld.param.u64');
    await button('continue').click();
    await shown('.exception-widget', 'uninitialized-read').waitFor();
    await shown('.debug-variables .monaco-list-row', 'Registers').locator('.monaco-tl-twistie').click();
    await shown('.debug-variables .monaco-list-row', 'Barriers').locator('.monaco-tl-twistie').click();
    await shown('.debug-variables .monaco-list-row', 'parity 0').waitFor();
    await picture('debug-parity');
    await stop();
  });

  await test('the lanes show a fragment that is in the wrong lanes', async () => {
    await openFile('fragment.ptx');
    await clickOn('mma.sync', 'mma');
    await key('F9');
    await debug('fragment.ptx', 'ld.param.u64 %rb');
    await button('continue').click();
    await stoppedAt(lineNumber('mma.sync'));
    const row = lanes().locator('.lanes tbody tr').nth(1);
    // The register has 32 bits, and holds a float.
    await lanes().locator('.adding input').fill('f32(%b0)');
    await lanes().locator('.adding input').press('Enter');
    await lanes().locator('.lanes th', { hasText: 'f32(%b0)' }).waitFor();
    const value = (await row.locator('td').allInnerTexts())[2];
    if (value?.trim() !== '8') throw new Error(await row.innerText());
    await page.mouse.move(640, 4);
    await picture('debug-fragment');
    await stop();
    await clickOn('mma.sync', 'mma');
    await key('F9');
  });

  await test('a kernel without a run gets one first', async () => {
    await openFile('sum.ptx');
    await key('F5');
    const toast = shown('.notification-toast', 'No kernel of this file has a run');
    await toast.waitFor();
    await toast.locator('.monaco-button', { hasText: 'Add a Run' }).click();
    await key('Control+Home');
    await shown('.editor-instance .view-line', '// run: grid').waitFor();
    await runCommand('File: Revert File');
    await hidden(shown('.editor-instance .view-line', '// run: grid'));
  });

  await test('a statement is tried on values', async () => {
    await openFile('reverse.ptx');
    await clickOn('xor.b32', 'xor');
    // The field for a value takes the place of the commands, so nothing is hidden between them.
    const input = shown('.quick-input-box input');
    await key('F1');
    await input.fill('>ptx-analyzer: Try This PTX');
    await shown('.quick-input-list .monaco-list-row', 'Try This PTX').click();
    await shown('.quick-input-widget', 'operand 1 of 1').waitFor();
    await input.fill('4*lane');
    await picture('try-input');
    await input.press('Enter');
    await shown('.view-line', '%r5').waitFor();
    await shown('.tab.active, .tab', 'results').waitFor();
    await picture('try');
  });

  await runCommand('View: Hide Panel');
  await runCommand('View: Close All Editors');
  await runCommand('View: Show Explorer');
}
