// The map of a kernel and its reading, as a person sees them in both colours and in narrow and wide windows.

/** Runs the tests of the kernel map and of readings with the tools of the window tests. */
export async function testKernel({
  page,
  test,
  picture,
  shown,
  runCommand,
  openFile,
  clickFor,
  clickOn,
  cursorAt,
  cursorOn,
  lineNumber,
  quickInput,
}) {
  /** The page of the panel that is in front, below the two frames of the editor. */
  const panel = () => page.frameLocator('iframe.webview.ready').last().frameLocator('iframe');
  const drawing = () => panel().locator('figure svg').first();
  const closeAll = async () => {
    await runCommand('View: Close All Editors');
    await shown('.tab').waitFor({ state: 'hidden' });
  };
  /** The editor with a tab of this name. */
  const editorOf = (name) =>
    page
      .locator('.editor-group-container', {
        has: page.locator('.tab.active', { hasText: name }),
      })
      .first();
  /** Waits for the line with a text to be marked in an editor. */
  const marked = async (name, text) => {
    const editor = editorOf(name);
    const row = editor.locator('.view-line', { hasText: text }).first();
    await row.waitFor();
    for (let wait = 0; ; wait += 1) {
      const y = (await row.boundingBox())?.y ?? -1;
      const marks = await editor
        .locator('.view-overlays .cdr[class*="ced-"]')
        .evaluateAll((all) => all.map((it) => it.getBoundingClientRect().y));
      if (marks.some((it) => Math.abs(it - y) < 3)) return;
      if (wait === 100) throw new Error(`${text} at ${y} has no mark: ${marks.join(', ')}`);
      await page.waitForTimeout(100);
    }
  };
  /** Words of a drawing that lie on others. */
  const overlaps = () =>
    drawing().evaluate((svg) => {
      const words = [...svg.querySelectorAll('text')].map((it) => [it.textContent, it.getBoundingClientRect()]);
      const found = [];
      for (const [text, it] of words) {
        for (const [other, that] of words) {
          const isOver =
            it !== that &&
            it.left < that.right - 1 &&
            that.left < it.right - 1 &&
            it.top < that.bottom - 2 &&
            that.top < it.bottom - 2;
          if (isOver && text < other) found.push(`${text} is over ${other}`);
        }
      }
      return found;
    });

  await test('the kernel map shows roles, memory and rings in both colours, narrow and wide', async () => {
    await openFile('ring.ptx');
    await clickOn('mbarrier.arrive.expect_tx', 'mbarrier');
    await runCommand('ptx-analyzer: Show Kernel Map');
    await panel().locator('h1', { hasText: 'Kernel map: wgmma_loop' }).waitFor();
    await drawing().locator('text', { hasText: 'producer' }).first().waitFor();
    // Away from the text, whose explanation would cover the panel.
    await page.mouse.move(640, 4);
    for (const theme of ['dark', 'light']) {
      for (const width of [760, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        await page.waitForTimeout(1_000);
        const wrong = await overlaps();
        if (wrong.length > 0) throw new Error(`${theme}, ${width} pixels: ${wrong.join('; ')}`);
        await picture(`kernel-map-${theme}${width < 1000 ? '-narrow' : ''}`);
      }
      await runCommand('Preferences: Toggle between Light/Dark Themes');
      await page.waitForTimeout(1_000);
    }
    await page.setViewportSize({ width: 1280, height: 760 });
  });

  await test('a click in the kernel map goes to the line', async () => {
    const line = lineNumber('and.b32 %stage, %k, 3');
    const place = drawing()
      .locator(`[data-line="${line - 1}"]`)
      .first();
    await place.waitFor({ state: 'attached' });
    // The map follows the cursor, so it stays in the kernel.
    const entry = lineNumber('.visible .entry');
    await quickInput('Control+g', `:${entry}`);
    await cursorOn(entry);
    await clickFor(place, cursorAt(line), { force: true });
    await closeAll();
  });

  await test('a reading and its PTX mark each other', async () => {
    await openFile('ring.ptx');
    await clickOn('wgmma.fence.sync.aligned', 'wgmma');
    await runCommand('ptx-analyzer: Read This Kernel');
    await shown('.tab', 'ring.ptx-reading').waitFor();
    await marked('ring.ptx-reading', 'wgmma.fence');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.mouse.move(640, 4);
    await page.waitForTimeout(500);
    await picture('reading');
    // The other way round.
    const row = editorOf('ring.ptx-reading').locator('.view-line', {
      hasText: 'wgmma.wait_group.sync.aligned(1)',
    });
    await row.click();
    await marked('ring.ptx', 'wgmma.commit_group');
    await page.setViewportSize({ width: 1280, height: 760 });
    await closeAll();
  });
}
