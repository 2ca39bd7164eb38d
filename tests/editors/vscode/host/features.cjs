// What the editor asks of the server while one reads and writes: hints, lenses, calls, formatting, repairs, targets.
const vscode = require('vscode');
const assert = require('node:assert/strict');
const { at, command, errorsOf, open, set, sleep, test, textOf, until, uri } = require('./harness.cjs');

/** A document without a name and without mistakes for its own target. */
const NEEDS_SM_80 = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{
    .reg .b32 %r<3>;
    mov.u32 %r1, %tid.x;
    redux.sync.add.s32 %r2, %r1, -1;
    ret;
}
`;

/** A kernel with a run whose array is one element too short. */
const DOUBLE = `.version 8.0
.target sm_80
.address_size 64
// run: block = 5 args.values = { ramp = [4], type = "u32" }
.visible .entry double(.param .u64 values)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [values];
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    ld.global.u32 %r2, [%rd2];
    ret;
}
.visible .entry other(.param .u32 n)
{
    ret;
}
`;

const untitled = async (content) => {
    const document = await vscode.workspace.openTextDocument({ language: 'ptx', content });
    return { document, editor: await vscode.window.showTextDocument(document) };
};
const close = () => command('workbench.action.revertAndCloseActiveEditor');
const whole = (document) => new vscode.Range(0, 0, document.lineCount, 0);

exports.testFeatures = async function () {
    await test('inlay hints tell the values of constants', async () => {
        const { document } = await open('sum.ptx');
        const hints = () => command('vscode.executeInlayHintProvider', document.uri, whole(document));
        const text = (hint) => (typeof hint.label === 'string' ? hint.label : hint.label.map((p) => p.value).join(''));
        const found = await until('the hint', async () => {
            const line = at(document, '0f3F800000').line;
            return (await hints()).find((it) => it.position.line === line);
        });
        assert.match(text(found), /1\.0/);
        await set('inlayHints.floatLiterals', false);
        await until('no hint', async () => !(await hints()).some((it) => /1\.0/.test(text(it))));
        await set('inlayHints.floatLiterals', undefined);
        await until('the hint again', async () => (await hints()).some((it) => /1\.0/.test(text(it))));
    });

    await test('calls are followed both ways, across files', async () => {
        const { document } = await open('sum.ptx');
        const [kernel] = await command('vscode.prepareCallHierarchy', document.uri, at(document, ' sum(', 0, 2));
        assert.equal(kernel.name, 'sum');
        const calls = await command('vscode.provideOutgoingCalls', kernel);
        assert.deepEqual(
            calls.map((it) => it.to.name),
            ['scale'],
        );
        const scale = await open('scale.ptx');
        const [callee] = await command('vscode.prepareCallHierarchy', scale.document.uri, at(scale.document, 'scale('));
        const callers = await command('vscode.provideIncomingCalls', callee);
        assert.ok(
            callers.some((it) => it.from.name === 'sum' && it.from.uri.toString() === uri('sum.ptx').toString()),
            JSON.stringify(callers),
        );
    });

    await test('a lens above a label counts its uses and lists them', async () => {
        const { document } = await open('sum.ptx');
        await set('codeLens.references', true);
        const label = at(document, '$L_loop:').line;
        const lens = await until('the lens', async () => {
            const found = await command('vscode.executeCodeLensProvider', document.uri, 100);
            return found.find(
                (it) => it.range.start.line === label && it.command?.command === 'ptx-analyzer.showReferences',
            );
        });
        assert.match(lens.command.title, /1/);
        await command(lens.command.command, ...lens.command.arguments);
        await command('closeReferenceSearch');
        await set('codeLens.references', undefined);
    });

    const findings = (document) => vscode.languages.getDiagnostics(document.uri).filter((it) => it.source === 'run');

    await test('a kernel is run, and its findings stay until the next edit', async () => {
        const { document, editor } = await untitled(DOUBLE);
        const run = (...args) => command('ptx-analyzer.run', document.uri, ...args);
        assert.match(await run(), /^double: ran \d+ steps of warps, 1 finding$/);
        assert.deepEqual(
            findings(document).map((it) => [it.code, it.range.start.line]),
            [['out-of-bounds', at(document, 'ld.global').line]],
        );
        await editor.edit((edit) => edit.insert(new vscode.Position(3, 0), '// A comment.\n'));
        await until('no findings', () => findings(document).length === 0);
        assert.equal(await run('nothing'), undefined);
        await close();
    });

    await test('the Testing view runs the runs of the workspace', async () => {
        const file = uri('double.ptx');
        await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(DOUBLE));
        const { document } = await open('double.ptx');
        await command('testing.runAll');
        await until('the finding', () => findings(document).some((it) => it.code === 'out-of-bounds'));
        await close();
        await vscode.workspace.fs.delete(file);
    });

    await test('lenses run a kernel and add a run', async () => {
        const { document, editor } = await untitled(DOUBLE);
        const lens = (name) =>
            until(`the lens ${name}`, async () => {
                const found = await command('vscode.executeCodeLensProvider', document.uri, 100);
                return found.find((it) => it.command?.title === name);
            });
        const { command: run } = await lens('Run');
        assert.match(await command(run.command, ...run.arguments), /^double: ran \d+ steps of warps, 1 finding$/);
        const { command: add } = await lens('Add a run…');
        await command(add.command, ...add.arguments);
        await until('the comment', () => /\n\/\/ run: grid = 1 block = 128\n/.test(document.getText()));
        await editor.edit((edit) => edit.replace(document.lineAt(3).range, '// run: blok = 5'));
        await until('the mistake', () =>
            vscode.languages
                .getDiagnostics(document.uri)
                .some((it) => it.code?.value === 'run-comment' || it.code === 'run-comment'),
        );
        await close();
    });

    await test('a document is formatted, and so is a part of it', async () => {
        const { document } = await untitled(NEEDS_SM_80.replaceAll('    ', '').replace('%r2, %r1,', '%r2 ,%r1 ,'));
        const options = { tabSize: 4, insertSpaces: true };
        const edits = await until('edits', async () => {
            const found = await command('vscode.executeFormatDocumentProvider', document.uri, options);
            return found?.length > 0 && found;
        });
        const edit = new vscode.WorkspaceEdit();
        edit.set(document.uri, edits);
        await vscode.workspace.applyEdit(edit);
        assert.match(document.getText(), /\n {4}redux\.sync\.add\.s32 +%r2, %r1, -1;\n/);
        await close();

        const part = (await untitled(NEEDS_SM_80.replaceAll('    ', ''))).document;
        const line = at(part, 'mov.u32').line;
        const some = await command(
            'vscode.executeFormatRangeProvider',
            part.uri,
            new vscode.Range(line, 0, line + 1, 0),
            options,
        );
        assert.ok(some.length > 0 && some.every((it) => it.range.start.line <= line + 1), JSON.stringify(some));
        await close();
    });

    await test('a code action writes the missing semicolon', async () => {
        const { document } = await open('broken.ptx');
        await until('two errors', () => errorsOf(document).length === 2);
        const line = document.lineAt(at(document, 'mov.u32 %r1, %tid.x').line);
        const action = await until('the action', async () => {
            const found = await command('vscode.executeCodeActionProvider', document.uri, line.range, undefined, 10);
            return found.find((it) => /;/.test(it.title) && it.edit !== undefined);
        });
        assert.ok(await vscode.workspace.applyEdit(action.edit));
        await until('one error', () => errorsOf(document).length === 1);
        await command('workbench.action.files.revert');
        await until('two errors again', () => errorsOf(document).length === 2);
    });

    await test('completion offers what can follow, and a chosen proposal is written', async () => {
        const { document, editor } = await open('saxpy.ptx');
        const end = document.lineAt(at(document, 'fma.rn.f32').line).range.end;
        await editor.edit((edit) => edit.insert(end, '\n    ld.global.'));
        const where = editor.document.positionAt(document.offsetAt(end) + '\n    ld.global.'.length);
        const labels = await until('proposals', async () => {
            const list = await command('vscode.executeCompletionItemProvider', document.uri, where, '.');
            const found = list.items.map((it) => (typeof it.label === 'string' ? it.label : it.label.label));
            return found.includes('.f32') && found;
        });
        assert.ok(!labels.includes('.rn'), labels.join(' '));
        editor.selection = new vscode.Selection(where, where);
        await command('type', { text: 'n' });
        await command('type', { text: 'c' });
        await command('editor.action.triggerSuggest');
        await until('the proposal to be written', async () => {
            await command('acceptSelectedSuggestion');
            return /ld\.global\.nc\b/.test(document.getText());
        });
        await command('workbench.action.files.revert');
    });

    await test('signature help names the operands', async () => {
        const { document } = await open('saxpy.ptx');
        const help = await command(
            'vscode.executeSignatureHelpProvider',
            document.uri,
            at(document, '%f1, %f2, %f3', 0, 5),
        );
        assert.match(help.signatures[0].label, /fma\.rn\.f32 d, a, b, c/);
        assert.equal(help.signatures[0].activeParameter ?? help.activeParameter, 2);
    });

    await test('another target in the settings changes what is wrong', async () => {
        const { document } = await untitled(NEEDS_SM_80);
        await set('target', 'sm_75');
        const error = await until('the error', () => errorsOf(document)[0]);
        assert.match(error.message, /redux/);
        await set('target', undefined);
        await until('no error', () => errorsOf(document).length === 0);
        await set('portability.targets', ['sm_75']);
        const warning = await until('the warning', () =>
            vscode.languages.getDiagnostics(document.uri).find((it) => /sm_75/.test(it.message)),
        );
        assert.equal(warning.severity, vscode.DiagnosticSeverity.Warning);
        await set('portability.targets', undefined);
        await until(
            'no warning',
            () => !vscode.languages.getDiagnostics(document.uri).some((it) => /sm_75/.test(it.message)),
        );
        await close();
    });

    await test('hover on an opcode explains it, with a link to the manual', async () => {
        const { document } = await open('saxpy.ptx');
        const hovers = await command('vscode.executeHoverProvider', document.uri, at(document, 'fma.rn', 0, 1));
        assert.match(textOf(hovers[0].contents), /docs\.nvidia\.com/);
    });

    await test('fast typing ends with the right problems', async () => {
        const { document, editor } = await untitled(NEEDS_SM_80);
        const end = document.lineAt(at(document, 'redux').line).range.end;
        editor.selection = new vscode.Selection(end, end);
        for (const letter of '\nadd.s32 %r1, %r2, %zz;') await command('type', { text: letter });
        const error = await until('the error', () => errorsOf(document).find((it) => /%zz/.test(it.message)));
        assert.equal(document.getText(error.range), '%zz');
        await sleep(500);
        assert.equal(errorsOf(document).length, 1);
        await close();
    });
};
