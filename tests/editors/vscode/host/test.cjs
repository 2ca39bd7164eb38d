// Runs inside VS Code's real extension host, against the installed package of the extension and the real server.
const vscode = require('vscode');
const assert = require('node:assert/strict');
const { readFile, writeFile } = require('node:fs/promises');
const { join } = require('node:path');
const { testFeatures } = require('./features.cjs');
const { testFiles } = require('./files.cjs');
const { testViews } = require('./views.cjs');
const {
    isRunning,
    at,
    command,
    counts,
    errorsOf,
    folder,
    open,
    ready,
    set,
    settings,
    sleep,
    test,
    textOf,
    until,
    uri,
} = require('./harness.cjs');

exports.run = async function () {
    let api;

    await test('opening a PTX file starts the extension and the server', async () => {
        const { document } = await open('saxpy.ptx');
        assert.equal(document.languageId, 'ptx');
        const extension = vscode.extensions.getExtension('ptx-analyzer.ptx-analyzer');
        assert.ok(extension, 'the extension is not installed');
        // The installed package, not the source folder, is what is tested.
        assert.match(extension.extensionPath, /extensions[\\/]ptx-analyzer\.ptx-analyzer-/);
        api = await until('the extension to be active', () => extension.isActive && extension.exports);
        await ready();
        assert.equal(api.state().path, join(extension.extensionPath, 'server', 'ptx-analyzer'));
        assert.equal(api.state().version, extension.packageJSON.version);
    });

    await test('a correct file has no errors', async () => {
        const { document } = await open('saxpy.ptx');
        // The broken file's errors come later than those of the file before it would have come.
        const broken = await vscode.workspace.openTextDocument(uri('broken.ptx'));
        await vscode.window.showTextDocument(broken);
        await until('errors of broken.ptx', () => errorsOf(broken).length > 0);
        assert.deepEqual(errorsOf(document), []);
    });

    await test('a missing semicolon is an error where it is missing', async () => {
        const { document } = await open('broken.ptx');
        const line = at(document, 'mov.u32 %r1, %tid.x').line;
        const error = await until('the syntax error', () =>
            errorsOf(document).find((d) => d.range.end.line === line || d.range.start.line === line),
        );
        assert.match(error.message, /;/);
        assert.ok(error.code !== undefined && error.source, 'it has a code and a source');
    });

    await test('an undefined register is an error on its name', async () => {
        const { document } = await open('broken.ptx');
        const start = at(document, '%count');
        const error = await until('the undefined name', () =>
            errorsOf(document).find((d) => d.range.start.isEqual(start)),
        );
        assert.equal(document.getText(error.range), '%count');
        assert.match(error.message, /%count/);
    });

    await test('those two are the only errors', async () => {
        const { document } = await open('broken.ptx');
        assert.equal(errorsOf(document).length, 2, JSON.stringify(errorsOf(document)));
    });

    await test('hover on a numbered register tells its declaration', async () => {
        const { document } = await open('saxpy.ptx');
        const hovers = await command('vscode.executeHoverProvider', document.uri, at(document, '%r4, %tid.x', 0, 1));
        assert.equal(hovers.length, 1);
        assert.match(textOf(hovers[0].contents), /\.b32/);
        assert.match(textOf(hovers[0].contents), /%r<6>/);
        assert.equal(document.getText(hovers[0].range), '%r4');
    });

    await test('hover on a label and on a parameter', async () => {
        const { document } = await open('saxpy.ptx');
        const label = await command('vscode.executeHoverProvider', document.uri, at(document, '$L_done', 0, 2));
        assert.match(textOf(label[0].contents), /\$L_done/);
        const parameter = await command('vscode.executeHoverProvider', document.uri, at(document, '[saxpy_a]', 0, 2));
        assert.match(textOf(parameter[0].contents), /\.f32/);
    });

    await test('go to the write that gives a register its value, and to its declaration', async () => {
        const { document } = await open('saxpy.ptx');
        const found = await command('vscode.executeDefinitionProvider', document.uri, at(document, '%f3;', 0, 1));
        assert.equal(found.length, 1);
        const range = found[0].targetSelectionRange ?? found[0].targetRange ?? found[0].range;
        assert.equal(range.start.line, at(document, 'ld.global.f32 %f3').line);
        const declared = await command('vscode.executeDeclarationProvider', document.uri, at(document, '%f3;', 0, 1));
        const place = declared[0].targetSelectionRange ?? declared[0].targetRange ?? declared[0].range;
        assert.equal(place.start.line, at(document, '%f<5>').line);
    });

    await test('go to definition moves the cursor, and back', async () => {
        const { document, editor } = await open('saxpy.ptx');
        const start = at(document, 'bra $L_done', 0, 6);
        editor.selection = new vscode.Selection(start, start);
        await command('editor.action.revealDefinition');
        await until('the label', () => editor.selection.active.line === at(document, '$L_done:').line);
        await command('workbench.action.navigateBack');
        await until('the branch', () => vscode.window.activeTextEditor.selection.active.line === start.line);
    });

    await test('references of a register, with its declaration', async () => {
        const { document } = await open('saxpy.ptx');
        const found = await command('vscode.executeReferenceProvider', document.uri, at(document, '%index, %r1', 0, 2));
        const lines = found.map((l) => l.range.start.line).sort((a, b) => a - b);
        const expected = ['%index;', '%index, %r2', '%index, %r1', '%index, 4'].map((t) => at(document, t).line);
        assert.deepEqual(lines, expected);
        assert.ok(found.every((l) => document.getText(l.range) === '%index'));
    });

    await test('definition in another file of the workspace', async () => {
        const { document } = await open('saxpy.ptx');
        const target = uri('scale.ptx').toString();
        await until('scale.ptx to be known', async () => {
            const found = await command('vscode.executeDefinitionProvider', document.uri, at(document, 'scale(', 0, 1));
            return found.some((l) => (l.targetUri ?? l.uri).toString() === target);
        });
    });

    await test('occurrences of the name under the cursor are highlighted', async () => {
        const { document } = await open('saxpy.ptx');
        const found = await command('vscode.executeDocumentHighlights', document.uri, at(document, '%p1', 0, 1));
        assert.equal(found.filter((h) => document.getText(h.range) === '%p1').length, 2);
    });

    await test('rename a register everywhere', async () => {
        const { document } = await open('saxpy.ptx');
        const where = at(document, '%index, %r1', 0, 2);
        const edit = await command('vscode.executeDocumentRenameProvider', document.uri, where, '%i');
        assert.equal(edit.get(document.uri).length, 4);
        assert.ok(await vscode.workspace.applyEdit(edit));
        assert.ok(!document.getText().includes('%index'));
        assert.ok(document.getText().includes('mad.lo.s32 %i, %r2, %r3, %r4;'));
        await sleep(300);
        assert.deepEqual(errorsOf(document), []);
        await command('workbench.action.files.revert');
    });

    await test('what cannot be renamed is refused', async () => {
        const { document } = await open('saxpy.ptx');
        const where = at(document, '%ctaid.x', 0, 2);
        await assert.rejects(async () => {
            const edit = await command('vscode.executeDocumentRenameProvider', document.uri, where, '%mine');
            if (edit === undefined || edit.size === 0) throw new Error('no edit');
        });
    });

    await test('document symbols are a tree below the kernel', async () => {
        const { document } = await open('saxpy.ptx');
        const symbols = await command('vscode.executeDocumentSymbolProvider', document.uri);
        const kernel = symbols.find((s) => s.name === 'saxpy');
        assert.ok(kernel, JSON.stringify(symbols.map((s) => s.name)));
        assert.ok(kernel.children.length > 0, 'the kernel has children');
    });

    await test('workspace symbols find a function of a file that is not open', async () => {
        await until('the symbol', async () => {
            const found = await command('vscode.executeWorkspaceSymbolProvider', 'scale');
            return found.some((s) => s.name === 'scale' && s.location.uri.toString() === uri('scale.ptx').toString());
        });
    });

    await test('semantic tokens cover registers', async () => {
        const { document } = await open('saxpy.ptx');
        const legend = await command('vscode.provideDocumentSemanticTokensLegend', document.uri);
        const { data } = await command('vscode.provideDocumentSemanticTokens', document.uri);
        const kinds = new Map();
        for (let i = 0, line = 0, start = 0; i < data.length; i += 5) {
            if (data[i] > 0) start = 0;
            line += data[i];
            start += data[i + 1];
            const word = document.getText(new vscode.Range(line, start, line, start + data[i + 2]));
            kinds.set(word, legend.tokenTypes[data[i + 3]]);
        }
        assert.ok(kinds.has('%r4') && kinds.has('%index'), [...kinds.keys()].join(' '));
        assert.equal(kinds.get('%r4'), kinds.get('%index'));
    });

    await test('the body of a kernel folds', async () => {
        const { document } = await open('saxpy.ptx');
        const ranges = await command('vscode.executeFoldingRangeProvider', document.uri);
        const body = at(document, '\n{', 0, 1).line;
        assert.ok(
            ranges.some((r) => r.start === body || r.start === at(document, '.visible').line),
            JSON.stringify(ranges),
        );
    });

    await test('selection grows along the syntax', async () => {
        const { document } = await open('saxpy.ptx');
        const [first] = await command('vscode.executeSelectionRangeProvider', document.uri, [
            at(document, '%f1, %f2', 0, 1),
        ]);
        const texts = [];
        for (let range = first; range; range = range.parent) texts.push(document.getText(range.range));
        assert.ok(texts.includes('%f1'), JSON.stringify(texts.slice(0, 3)));
        assert.ok(texts.includes('fma.rn.f32 %f4, %f1, %f2, %f3;'), JSON.stringify(texts.slice(0, 4)));
        // The editor alone knows words, lines and brackets; the whole kernel comes from the server.
        assert.ok(
            texts.some((t) => t.startsWith('.visible .entry saxpy(') && t.endsWith('}')),
            'the kernel is one of the steps',
        );
    });

    await test('errors go when they are mended, and come back with an undo', async () => {
        const { document, editor } = await open('broken.ptx');
        await until('two errors', () => errorsOf(document).length === 2);
        const semicolon = document.lineAt(at(document, 'mov.u32 %r1, %tid.x').line).range.end;
        const count = at(document, '%count');
        await editor.edit((edit) => {
            edit.insert(semicolon, ';');
            edit.replace(new vscode.Range(count, count.translate(0, '%count'.length)), '%r1');
        });
        await until('no errors', () => errorsOf(document).length === 0);
        await command('undo');
        await until('the two errors again', () => errorsOf(document).length === 2);
        await command('workbench.action.files.revert');
    });

    await test('an untitled file is served too', async () => {
        const document = await vscode.workspace.openTextDocument({
            language: 'ptx',
            content:
                '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n    bra $nowhere;\n    ret;\n}\n',
        });
        await vscode.window.showTextDocument(document);
        const error = await until('the error', () => errorsOf(document)[0]);
        assert.match(error.message, /\$nowhere/);
        await command('workbench.action.revertAndCloseActiveEditor');
    });

    await test('words: a register, a label and a part of an opcode are each one word', async () => {
        const { document } = await open('saxpy.ptx');
        const word = (position) => document.getText(document.getWordRangeAtPosition(position));
        assert.equal(word(at(document, '%rd4', 0, 2)), '%rd4');
        assert.equal(word(at(document, '$L_done', 0, 3)), '$L_done');
        assert.equal(word(at(document, 'fma.rn.f32', 0, 1)), 'fma');
        assert.equal(word(at(document, 'fma.rn.f32', 0, 8)), 'f32');
    });

    await test('a line is commented and uncommented', async () => {
        const { document, editor } = await open('saxpy.ptx');
        const position = at(document, 'ret;');
        editor.selection = new vscode.Selection(position, position);
        await command('editor.action.commentLine');
        assert.equal(document.lineAt(position.line).text, '    // ret;');
        await command('editor.action.commentLine');
        assert.equal(document.lineAt(position.line).text, '    ret;');
        await command('workbench.action.files.revert');
    });

    await test('the syntax tree is shown, is read-only and follows edits', async () => {
        const { document, editor } = await open('broken.ptx');
        await command('ptx-analyzer.showSyntaxTree');
        const tree = await until('the tree', () =>
            vscode.workspace.textDocuments.find(
                (d) => d.uri.scheme === 'ptx-syntax-tree' && d.getText().includes('%count'),
            ),
        );
        assert.equal(vscode.workspace.fs.isWritableFileSystem(tree.uri.scheme) ?? false, false);
        assert.equal(tree.lineCount > 10, true, tree.getText());
        const count = at(document, '%count');
        await editor.edit((edit) => edit.replace(new vscode.Range(count, count.translate(0, 6)), '%zebra'));
        await until(
            'the tree to follow',
            () => tree.getText().includes('%zebra') && !tree.getText().includes('%count'),
        );
        await vscode.window.showTextDocument(document);
        await command('workbench.action.files.revert');
        await until('the tree to follow the revert', () => tree.getText().includes('%count'));
    });

    await test('the syntax tree of a selection', async () => {
        const { document, editor } = await open('broken.ptx');
        const line = document.lineAt(at(document, 'add.s32').line);
        editor.selection = new vscode.Selection(line.range.start, line.range.end);
        const tree = vscode.workspace.textDocuments.find((d) => d.uri.scheme === 'ptx-syntax-tree');
        await until('the smaller tree', () => tree.getText().includes('add') && !tree.getText().includes('.version'));
        editor.selection = new vscode.Selection(0, 0, 0, 0);
        await until('the whole tree', () => tree.getText().includes('.version'));
        await command('workbench.action.closeEditorsInOtherGroups');
    });

    await testFeatures();
    await testFiles();
    await testViews();

    await test('restart gives a new process, and everything works again', async () => {
        const { document } = await open('broken.ptx');
        const before = api.serverPid();
        assert.ok(before > 0);
        await command('ptx-analyzer.restartServer');
        await ready();
        assert.notEqual(api.serverPid(), before);
        await until('the old process to end', () => !isRunning(before));
        await until('errors again', () => errorsOf(document).length === 2);
    });

    await test('a killed server is started again by itself', async () => {
        const { document } = await open('broken.ptx');
        const before = api.serverPid();
        process.kill(before, 'SIGKILL');
        await until('another process', () => api.serverPid() !== undefined && api.serverPid() !== before);
        await ready();
        const hovers = await until('an answer', async () => {
            const found = await command('vscode.executeHoverProvider', document.uri, at(document, '%r2, %r1', 0, 1));
            return found.length > 0 && found;
        });
        assert.match(textOf(hovers[0].contents), /%r<4>/);
    });

    const setPath = (value) => set('server.path', value);

    await test('a server path that does not exist is said plainly', async () => {
        await setPath('/no/such/ptx-analyzer');
        const state = await until('the error', () => api.state().kind === 'error' && api.state());
        assert.match(state.message, /ptx-analyzer\.server\.path does not exist: \/no\/such\/ptx-analyzer/);
        assert.equal(api.serverPid(), undefined);
    });

    await test('a program that is not a server is said plainly', async () => {
        await setPath('/bin/true');
        const state = await until('the error', () => api.state().message?.includes('/bin/true') && api.state());
        assert.match(state.message, /is not ptx-analyzer/);
    });

    /** A program that says it is the server, and then does what `body` says. */
    const pretender = async (name, body) => {
        const path = join(folder.fsPath, name);
        await writeFile(path, `#!/bin/sh\n[ "$1" = --version ] && exec echo "ptx-analyzer 0.0.0"\n${body}\n`, {
            mode: 0o755,
        });
        return path;
    };

    await test('a server that ends before its first answer is said plainly', async () => {
        await setPath(await pretender('ends', 'exit 1'));
        const state = await until('the error', () => /first answer/.test(api.state().message) && api.state());
        assert.equal(state.kind, 'error');
    });

    await test('a restart ends a server that hangs', async () => {
        await setPath(
            await pretender('hangs', 'echo $$ > pid; exec sleep 1000'.replace('pid', join(folder.fsPath, 'pid'))),
        );
        const pid = await until('the silent server', async () =>
            Number(await readFile(join(folder.fsPath, 'pid'), 'utf8').catch(() => '')),
        );
        assert.equal(api.state().kind, 'starting');
        await setPath(undefined);
        await ready();
        await until('the silent server to be gone', () => !isRunning(pid));
    });

    await test('a server that ends again and again is left alone, until it is restarted by hand', async () => {
        for (let i = 0; i < 5; i++) {
            await ready();
            const pid = api.serverPid();
            process.kill(pid, 'SIGKILL');
            await until('the next server, or the end of them', () => {
                const next = api.serverPid();
                return api.state().kind === 'error' || (next !== undefined && next !== pid);
            });
        }
        const state = await until('the error', () => api.state().kind === 'error' && api.state());
        assert.match(state.message, /ended unexpectedly 5 times/);
        await command('ptx-analyzer.restartServer');
        await ready();
    });

    await test('a workspace cannot choose the program', async () => {
        await assert.rejects(
            async () => settings().update('server.path', '/tmp/evil', vscode.ConfigurationTarget.Workspace),
            /machine|Workspace/i,
        );
    });

    await test('the server comes back when the setting is mended', async () => {
        const { document } = await open('broken.ptx');
        await setPath(undefined);
        await ready();
        await until('errors again', () => errorsOf(document).length === 2);
    });

    await test('switching diagnostics off and on takes effect at once', async () => {
        const { document } = await open('broken.ptx');
        await set('diagnostics.enable', false);
        await until('no errors', () => errorsOf(document).length === 0);
        await set('diagnostics.enable', undefined);
        await until('errors', () => errorsOf(document).length === 2);
    });

    await test('stop ends the process', async () => {
        const pid = api.serverPid();
        await command('ptx-analyzer.stopServer');
        assert.equal(api.state().kind, 'stopped');
        await until('the process to end', () => !isRunning(pid));
    });

    console.log(`${counts.passed} passed, ${counts.failed} failed`);
    if (counts.failed > 0) throw new Error(`${counts.failed} tests failed`);
};
