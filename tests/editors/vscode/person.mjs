// What a person does in the window of VS Code, for tests: opens files, runs commands, points at words, looks.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How long anything may take to appear; generous, for slow and busy machines. */
const PATIENCE_MS = 30_000;

/**
 * What a person does in the window on `page`, and `test`, which prints a line for each test.
 *
 * `ended` prints how many passed and tells whether all did. With `searches: false` files are opened in the explorer, for
 * folders that cannot be searched.
 */
export function personAt({ page, workspace, screens, searches = true }) {
  let passed = 0;
  let failed = 0;
  page.setDefaultTimeout(PATIENCE_MS);
  mkdirSync(screens, { recursive: true });
  const picture = async (name) => {
    await page.waitForTimeout(400); // Let what moves in or fades in come to rest.
    await page.screenshot({ path: join(screens, `vscode-${name}.png`) });
  };
  /** The texts in the notification center. */
  const notifications = async () => {
    try {
      await runCommand('Notifications: Show Notifications');
      await page.waitForTimeout(400);
      return await page.locator('.notifications-center .notification-list-item-message').allInnerTexts();
    } catch (error) {
      return [`none could be read: ${error.message}`];
    }
  };
  const test = async (name, body) => {
    try {
      await body();
      passed++;
      console.log(`ok ${name}`);
    } catch (error) {
      failed++;
      console.log(`not ok ${name}\n${error.stack}`);
      await picture(`failed-${failed}`);
      // Whatever is open must not be in the way of the next test.
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      // A message that has gone may be the reason.
      for (const message of await notifications()) console.log(`notification: ${message}`);
      await page.keyboard.press('Escape');
    }
  };

  const key = (name) => page.keyboard.press(name);
  const shown = (selector, hasText) => page.locator(selector, hasText === undefined ? {} : { hasText }).first();
  const status = () =>
    shown('.statusbar-item[id="ptx-analyzer.ptx-analyzer.status"], .statusbar-item[id*="ptx-analyzer.status"]');
  /** Opens a quick input by its key, fills it and takes the row that fits. Filling reaches it wherever the focus is. */
  const quickInput = async (opener, text, row) => {
    const input = shown('.quick-input-box input');
    // A window that is busy, as after trust was granted, may miss a key.
    for (let attempt = 1; ; attempt++) {
      await key(opener);
      try {
        await input.waitFor({ state: 'visible', timeout: PATIENCE_MS / 10 });
        break;
      } catch (error) {
        if (attempt === 5) throw error;
      }
    }
    await input.fill(text);
    // A click on the row itself, for Enter takes the first row, which may still be of the text before.
    if (row !== undefined) await shown('.quick-input-list .monaco-list-row', row).click();
    else await shown('.quick-input-box input').press('Enter');
    // Off to an empty place: the pointer must not raise a tooltip where the row was.
    await page.mouse.move(200, 400);
    await shown('.quick-input-widget').waitFor({ state: 'hidden' });
  };
  const runCommand = (name) => quickInput('F1', `>${name}`, name);
  /** The place of the cursor in the status bar, if it is in a line. */
  const cursorAt = (number) => shown('.statusbar-item[id="status.editor.selection"]', `Ln ${number},`);
  const cursorOn = (number) => cursorAt(number).waitFor();
  let lines = [];
  const openFile = async (name) => {
    if (searches) await quickInput('Control+p', name, name);
    else await shown('.explorer-viewlet .monaco-list-row', name).dblclick();
    await shown('.tab.active', name).waitFor();
    await shown('.editor-instance .view-line').waitFor();
    lines = readFileSync(join(workspace, name), 'utf8').split('\n');
  };
  /** The line of the editor with this text, if it is drawn. */
  const line = (text) => shown('.editor-instance .view-line', text);
  /** Brings the line with `lineText` of the opened file into view and gives the word `text` of it. */
  const word = async (lineText, text) => {
    const number = lines.findIndex((l) => l.includes(lineText)) + 1;
    await quickInput('Control+g', `:${number}`);
    await cursorOn(number);
    return line(lineText).locator('span', { hasText: text }).last();
  };
  /** Points at a word until the hover with this text is there, and gives it: a lens that comes late moves the lines. */
  const hoverOver = async (lineText, text, wanted) => {
    const hover = shown('.monaco-hover:visible', wanted);
    for (let attempt = 1; ; attempt++) {
      await page.mouse.move(5, 5);
      await (await word(lineText, text)).hover();
      try {
        await hover.waitFor({ timeout: PATIENCE_MS / 6 });
        return hover;
      } catch (error) {
        if (attempt === 3) throw error;
      }
    }
  };
  /** Clicks a word until the cursor is in its line: a lens that comes late moves the lines under the pointer. */
  const clickOn = async (lineText, text) => {
    for (let attempt = 1; ; attempt++) {
      await (await word(lineText, text)).click();
      await page.waitForTimeout(200); // The editor marks the line of the cursor a moment later.
      const { y } = await line(lineText).boundingBox();
      const cursor = await shown('.editor-instance .active-line-number').boundingBox();
      if (cursor !== null && Math.abs(cursor.y - y) < 5) return;
      if (attempt === 5) throw new Error(`the cursor is not in the line of ${lineText}`);
    }
  };
  /** Clicks something until what it does is there: what is drawn anew meanwhile may miss a click. `before` prepares each. */
  const clickFor = async (target, done, { before, ...options } = {}) => {
    for (let attempt = 1; ; attempt++) {
      await before?.();
      await target.click(options);
      try {
        await done.waitFor({ timeout: PATIENCE_MS / 2 });
        return;
      } catch (error) {
        if (attempt === 3) throw error;
      }
    }
  };
  const lineNumber = (text) => lines.findIndex((l) => l.includes(text)) + 1;
  /** The column of what comes after a text. */
  const columnAfter = (text) => lines[lineNumber(text) - 1].indexOf(text) + text.length + 1;
  const squiggles = (count) =>
    page.waitForFunction((n) => document.querySelectorAll('.editor-instance .squiggly-error').length === n, count);
  const hidden = (locator) => locator.waitFor({ state: 'hidden' });
  const ended = () => {
    console.log(`${passed} passed, ${failed} failed`);
    return failed === 0 && passed > 0;
  };
  return {
    clickFor,
    clickOn,
    columnAfter,
    cursorAt,
    cursorOn,
    ended,
    hidden,
    hoverOver,
    key,
    line,
    lineNumber,
    openFile,
    picture,
    quickInput,
    runCommand,
    shown,
    squiggles,
    status,
    test,
    word,
  };
}

/** Asks again and again until the answer is truthy. */
export async function until(what, ask) {
  for (const start = Date.now(); Date.now() - start < PATIENCE_MS;) {
    if (ask()) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`waited in vain for ${what}`);
}
