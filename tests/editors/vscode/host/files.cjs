// Files that come, go, change their names and are large, and a second folder.
const vscode = require('vscode');
const assert = require('node:assert/strict');
const { unlink, writeFile } = require('node:fs/promises');
const { at, command, errorsOf, open, set, test, until, uri } = require('./harness.cjs');

/** A file of this size is opened in the editor; the server of the tests is a debug build. */
const LARGE_BYTES = 10_000_000;
const LARGE_PATIENCE_MS = 150_000;

const MODULE = '.version 8.0\n.target sm_80\n.address_size 64\n';

/** Whether the symbol of the workspace is known, in which file. */
async function symbolIn(name, file) {
    const found = await command('vscode.executeWorkspaceSymbolProvider', name);
    return found.some((it) => it.name === name && it.location.uri.toString() === file.toString());
}

exports.testFiles = async function () {
    await test('the second folder of the workspace is served like the first', async () => {
        const library = vscode.workspace.workspaceFolders[1].uri;
        const file = vscode.Uri.joinPath(library, 'helper.ptx');
        await until('its symbol', () => symbolIn('helper_of_library', file));
        const { document } = await open(file);
        const error = await until('its error', () => errorsOf(document)[0]);
        assert.match(error.message, /\$nowhere/);
    });

    await test('a file that is made on disk is known, and one that is deleted is not', async () => {
        const file = uri('made.ptx');
        await writeFile(file.fsPath, `${MODULE}.visible .func made_on_disk() { ret; }\n`);
        await until('the symbol', () => symbolIn('made_on_disk', file), 30_000);
        await unlink(file.fsPath);
        await until('no symbol', async () => !(await symbolIn('made_on_disk', file)), 30_000);
    });

    await test('a renamed file keeps its symbols under the new name', async () => {
        const [before, after] = [uri('before.ptx'), uri('after.ptx')];
        await writeFile(before.fsPath, `${MODULE}.visible .func renamed_file() { bra $nowhere; ret; }\n`);
        const { document } = await open(before);
        await until('the error', () => errorsOf(document).length === 1);
        const edit = new vscode.WorkspaceEdit();
        edit.renameFile(before, after);
        assert.ok(await vscode.workspace.applyEdit(edit));
        await until('the error under the new name', () => vscode.languages.getDiagnostics(after).length > 0);
        await until('no error under the old one', () => vscode.languages.getDiagnostics(before).length === 0);
        await until('the symbol', async () => {
            return (await symbolIn('renamed_file', after)) && !(await symbolIn('renamed_file', before));
        });
    });

    await test('deleting an open file on disk does no harm', async () => {
        const file = uri('after.ptx');
        const { document } = await open(file);
        await unlink(file.fsPath);
        // The text is still in the editor, or the editor has closed it; the server answers either way.
        await command('vscode.executeDocumentSymbolProvider', document.uri);
        await command('workbench.action.revertAndCloseActiveEditor');
        await until('no symbol', async () => !(await symbolIn('renamed_file', file)), 30_000);
        const other = await open('broken.ptx');
        await until('errors elsewhere', () => errorsOf(other.document).length === 2);
    });

    await test('two modules with the same kernel do not disturb each other', async () => {
        const text = `${MODULE}.visible .entry same() { ret; }\n`;
        const documents = [];
        for (let i = 0; i < 2; i++)
            documents.push(await vscode.workspace.openTextDocument({ language: 'ptx', content: text }));
        const broken = await open('broken.ptx');
        await until('errors of another file', () => errorsOf(broken.document).length === 2);
        for (const document of documents) {
            assert.deepEqual(errorsOf(document), []);
            await vscode.window.showTextDocument(document);
            await command('workbench.action.revertAndCloseActiveEditor');
        }
    });

    await test('a file of 10 MB is checked, and an answer follows an edit', async () => {
        const line = '    mad.lo.s32 %r3, %r1, %r2, %r3; // 0123456789 0123456789 0123456789\n';
        const body = line.repeat(400);
        const kernel = (i) =>
            `.visible .entry kernel_${i}()\n{\n    .reg .b32 %r<4>;\n    mov.u32 %r1, 1;\n    mov.u32 %r2, 2;\n    mov.u32 %r3, 3;\n${body}    ret;\n}\n`;
        let text = MODULE;
        for (let i = 0; text.length < LARGE_BYTES; i++) text += kernel(i);
        const file = uri('large.ptx');
        await set('workspace.index', false);
        await writeFile(file.fsPath, text);
        const { document, editor } = await open(file);
        const last = document.lineAt(document.lineCount - 3);
        assert.equal(last.text.trim(), 'ret;');
        await editor.edit((edit) => edit.insert(last.range.start, '    mov.u32 %r9, 1;\n'));
        const error = await until('the error', () => errorsOf(document)[0], LARGE_PATIENCE_MS);
        assert.equal(document.getText(error.range), '%r9');
        // From now on it is quick: the limit is that of every other test.
        await command('undo');
        await until('no error', () => errorsOf(document).length === 0);
        const hovers = await command('vscode.executeHoverProvider', document.uri, at(document, '%r1, %r2', 3, 1));
        assert.equal(hovers.length, 1);
        await command('workbench.action.revertAndCloseActiveEditor');
        await unlink(file.fsPath);
        await set('workspace.index', undefined);
    });
};
