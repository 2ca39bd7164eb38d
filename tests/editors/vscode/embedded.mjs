// PTX in a CUDA file as a person sees it.

/** Runs the tests of strings with PTX with the tools of the window tests. */
export async function testEmbedded({ page, test, picture, shown, squiggles, openFile, hoverOver, word, key, status }) {
  await test('a mistake in a string of a CUDA file has a squiggle', async () => {
    await openFile('asm.cu');
    await shown('.statusbar-item[id="status.editor.mode"]', 'CUDA C++').waitFor();
    await squiggles(1);
    // A sign that the server is at work, and the way to its menu.
    await status().locator('.codicon-check').waitFor();
    await status().click();
    await shown('.quick-input-list .monaco-list-row', 'Go to generated PTX').waitFor();
    await picture('menu-cuda');
    await key('Escape');
  });

  await test('words in strings are coloured by what they are', async () => {
    const colour = (locator) => locator.evaluate((span) => getComputedStyle(span).color);
    const opcode = await colour(await word('bar.sync', 'bar'));
    const operand = await colour(await word('mov.u32', '%0'));
    const constraint = await colour(await word('mov.u32', '=r'));
    if (new Set([opcode, operand, constraint]).size !== 3) throw new Error(`${opcode} ${operand} ${constraint}`);
  });

  await test('operands are followed by their expressions', async () => {
    await shown('.editor-instance .view-line', 'x + 1').waitFor();
    await page.waitForFunction(() =>
      [...document.querySelectorAll('.editor-instance .view-line')].some((line) =>
        line.textContent.replaceAll('\u00a0', ' ').includes('%1x + 1;'),
      ),
    );
  });

  await test('pointing at an operand tells its expression', async () => {
    await hoverOver('add.z32', '%1', 'Operand 1');
    await picture('embedded');
    await key('Escape');
  });
}
