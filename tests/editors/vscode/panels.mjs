// The panels of the extension as a person sees and clicks them.

/** Runs the tests of the panels with the tools of the window tests. */
export async function testPanels({
  page,
  test,
  picture,
  shown,
  runCommand,
  openFile,
  clickOn,
  cursorOn,
  lineNumber,
  key,
}) {
  /** The page of the panel that is in front, below the two frames of the editor. */
  const panel = () => page.frameLocator('iframe.webview.ready').last().frameLocator('iframe');
  const heading = (text) => panel().locator('h1', { hasText: text });
  const closeAll = async () => {
    await runCommand('View: Close All Editors');
    await shown('.tab').waitFor({ state: 'hidden' });
  };

  // The pictures are of text and panel, side by side.
  await runCommand('View: Close Primary Side Bar');
  await shown('.part.sidebar').waitFor({ state: 'hidden' });

  await test('the register panel shows the kernel, and a click on the chart goes to the line', async () => {
    await openFile('sum.ptx');
    await clickOn('add.s32 %total', 'add');
    await runCommand('ptx-analyzer: Show Registers');
    await heading('Registers: sum.ptx').waitFor();
    await panel().locator('.row.chosen', { hasText: 'warps on sm_80' }).waitFor();
    const line = lineNumber('call (answer)');
    const bar = panel()
      .locator(`figure [data-line="${line - 1}"]`)
      .first();
    await bar.waitFor({ state: 'attached' });
    await picture('registers');
    // At every width the chart fills the panel, and each of its words is seen and lies on no other.
    for (const width of [760, 1440, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      await panel()
        .locator('figure svg')
        .evaluate(async (svg) => {
          const { documentElement: root } = svg.ownerDocument;
          const fills = () => {
            const it = svg.ownerDocument.querySelector('figure svg');
            return Math.abs(Number(it?.getAttribute('width')) - (root.clientWidth - 32)) <= 2;
          };
          for (let wait = 0; wait < 100 && !fills(); wait += 1) await new Promise((done) => setTimeout(done, 100));
          if (!fills()) throw new Error('the chart has another width than the panel');
        });
      const wrong = await panel()
        .locator('figure svg')
        .evaluate((svg) => {
          const room = svg.getBoundingClientRect();
          const { innerHeight } = svg.ownerDocument.defaultView;
          const words = [...svg.querySelectorAll('text')].map((it) => [it.textContent, it.getBoundingClientRect()]);
          const found = room.height < innerHeight / 2 ? [`${room.height} of ${innerHeight} pixels`] : [];
          for (const [text, it] of words) {
            if (it.left < room.left || it.right > room.right || it.bottom > room.bottom) found.push(`${text} is cut`);
            for (const [other, that] of words) {
              const overlaps =
                text < other &&
                it.left < that.right &&
                that.left < it.right &&
                it.top < that.bottom &&
                that.top < it.bottom;
              if (overlaps) found.push(`${text} is over ${other}`);
            }
          }
          return found;
        });
      if (wrong.length > 0) throw new Error(`at ${width} pixels: ${wrong.join('; ')}`);
      await picture(`registers-${width}`);
    }
    await page.setViewportSize({ width: 1280, height: 760 });
    await page.waitForTimeout(1_000);
    await bar.click({ force: true });
    await cursorOn(line);
    await panel().locator('.row .link').first().click();
    await page.waitForTimeout(300);
  });

  await test('what moves in the page is marked as the cursor moves', async () => {
    await clickOn('ld.param.u64', 'ld');
    await panel()
      .locator(`figure [data-line="${lineNumber('ld.param.u64') - 1}"].cursor`)
      .first()
      .waitFor({ state: 'attached' });
    await closeAll();
  });

  await test('the page can load nothing and run nothing but its own', async () => {
    await openFile('sum.ptx');
    await runCommand('ptx-analyzer: Show Registers');
    await heading('Registers').waitFor();
    const policy = await panel().locator('meta[http-equiv="Content-Security-Policy"]').last().getAttribute('content');
    if (
      !/^default-src 'none'; script-src 'nonce-[^' ]+'; style-src 'self' https:\/\/[^ ]*vscode-cdn\.net$/.test(policy)
    )
      throw new Error(policy);
    const ran = await panel()
      .locator('body')
      .evaluate((body) => {
        const script = body.ownerDocument.createElement('script');
        script.textContent = 'window.ranForeignScript = true';
        body.append(script);
        return body.ownerDocument.defaultView.ranForeignScript === true;
      });
    if (ran) throw new Error('a foreign script ran');
    await closeAll();
  });

  await test('the control-flow view draws the blocks, and a click goes there', async () => {
    await openFile('sum.ptx');
    await clickOn('add.s32 %total', 'add');
    await runCommand('ptx-analyzer: Show Control Flow');
    await heading('Control flow: sum').waitFor();
    const line = lineNumber('st.param.b32 [argument]');
    const block = panel().locator(`figure text[data-line="${line - 1}"]`, { hasText: 'st.param' });
    await block.waitFor();
    await picture('control-flow');
    // The legend is as large in a narrow window.
    await page.setViewportSize({ width: 760, height: 760 });
    await page.waitForTimeout(1_000);
    await picture('control-flow-760');
    const legend = await panel()
      .locator('.legend svg')
      .evaluateAll((items) =>
        items.map((it) => ({
          scale: it.getBoundingClientRect().width / it.viewBox.baseVal.width,
          isSeen: it.getBoundingClientRect().right <= it.ownerDocument.documentElement.clientWidth,
        })),
      );
    if (legend.length < 3 || legend.some((it) => it.scale < 0.99 || !it.isSeen))
      throw new Error(JSON.stringify(legend));
    await page.setViewportSize({ width: 1280, height: 760 });
    await page.waitForTimeout(500);
    const scale = panel().locator('.zoom output');
    const before = await scale.innerText();
    await panel().locator('.zoom button', { hasText: '+' }).click();
    if ((await scale.innerText()) === before) throw new Error(`still ${before}`);
    await panel().locator('.canvas').press('0');
    if ((await scale.innerText()) !== before) throw new Error(`${await scale.innerText()} and not ${before}`);
    await block.click();
    await cursorOn(line);
    await closeAll();
  });

  await test('the comparison of targets lists mistakes, and a click goes there', async () => {
    await openFile('broken.ptx');
    await runCommand('ptx-analyzer: Compare Targets');
    await heading('Targets: broken.ptx').waitFor();
    await panel().locator('.matrix thead th', { hasText: '2 errors' }).waitFor();
    // The target of the file is in the first column, and words of the language are code.
    await panel().locator('.matrix thead th:nth-child(2).own', { hasText: 'target of the file' }).waitFor();
    await panel().locator('.matrix tbody code', { hasText: '%count' }).first().waitFor();
    const row = panel().locator('.matrix tbody tr', { hasText: '%count' });
    // Away from the text, whose explanation would cover the panel.
    await page.mouse.move(640, 4);
    await page.waitForTimeout(500);
    await picture('targets');
    const line = lineNumber('%count');
    await row.locator('.link', { hasText: `Line ${line}` }).click();
    await cursorOn(line);
    await closeAll();
  });

  await test('a word is chosen and explained', async () => {
    await openFile('sum.ptx');
    await clickOn('cvta.to.global', 'cvta');
    await key('F1');
    await shown('.quick-input-box input').fill('>ptx-analyzer: Explain Word');
    await shown('.quick-input-list .monaco-list-row', 'Explain Word').click();
    // The word at the cursor comes first.
    await shown('.quick-input-list .monaco-list-row.focused', 'cvta').waitFor();
    await picture('words');
    await key('Enter');
    await panel().locator('h1', { hasText: 'cvta' }).waitFor();
    await picture('explain');
    await closeAll();
  });

  await test('the live range of a register is marked', async () => {
    await openFile('sum.ptx');
    await clickOn('add.s32 %total', '%total');
    await runCommand('ptx-analyzer: Show Live Range of Register');
    await shown('.statusbar-item', '%total: live in').waitFor();
    await picture('live-range');
    await runCommand('ptx-analyzer: Clear Highlights');
    await closeAll();
  });
}
