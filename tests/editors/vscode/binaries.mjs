// Two builds beside each other, and the PTX of a binary, as a person asks for them.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A fat binary with two texts, which NVIDIA's tools made. */
const BINARY = fileURLToPath(new URL('../../../server/machine/src/data/two.fatbin', import.meta.url));

/** Runs the tests with the tools of the window tests. */
export async function testBinaries({ test, picture, shown, runCommand, openFile, key, page, workspace }) {
  const toast = (text) => shown('.notification-toast', text);
  const choice = (text) => shown('.quick-input-list .monaco-list-row', text).first();
  /** Runs a command that asks for something. */
  const begin = async (name) => {
    await key('F1');
    await shown('.quick-input-box input').fill(`>ptx-analyzer: ${name}`);
    await choice(name).click();
    // The pointer must not raise an explanation where the row was.
    await page.mouse.move(640, 4);
  };
  const closeAll = async () => {
    await runCommand('Notifications: Clear All Notifications');
    await runCommand('View: Close All Editors');
    await shown('.tab').waitFor({ state: 'hidden' });
  };

  await test('what differs from another build is marked in both texts', async () => {
    const text = readFileSync(join(workspace, 'sum.ptx'), 'utf8');
    // Another instruction; the names of registers do not count.
    const older = text.replace('add.s32 %total', 'sub.s32 %total').replaceAll('%total', '%result');
    writeFileSync(join(workspace, 'older.ptx'), older);
    await openFile('sum.ptx');
    await openFile('older.ptx');
    await begin('Compare With…');
    await choice('sum.ptx').click();
    await toast('Functions: 1 changed').waitFor();
    // An editor in which something was renamed keeps the box for the name.
    const editors = page.locator('.editor-instance .monaco-editor:not(.rename-box)');
    await editors.nth(1).waitFor();
    await picture('compare');
    await closeAll();
  });

  await test('the PTX of a binary is chosen and opened', async () => {
    copyFileSync(BINARY, join(workspace, 'library.so'));
    await begin('Extract PTX');
    await choice('library.so').click();
    await choice('sm_').waitFor();
    await picture('extract');
    await choice('sm_').click();
    await shown('.tab', '.ptx').waitFor();
    await shown('.view-line', '.version').first().waitFor();
    await picture('extracted');
    await closeAll();
  });
}
