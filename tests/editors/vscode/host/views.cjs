// The panels and the commands of the extension itself.
const vscode = require('vscode');
const assert = require('node:assert/strict');
const { api, at, command, errorsOf, open, set, test, until, uri } = require('./harness.cjs');

const view = (name, wanted = () => true) =>
    until(`the view ${name}`, () => {
        const content = api().view(name);
        return content !== undefined && wanted(content) && content;
    });
const factsOf = (row) => row.facts.map((it) => `${it.value} ${it.name}`).join(', ');
const closePanels = () => command('workbench.action.closeEditorsInOtherGroups');

/** Opens a file with the cursor before a text. */
async function openAt(name, text, into = 0) {
    const { document, editor } = await open(name);
    const position = at(document, text, 0, into);
    editor.selection = new vscode.Selection(position, position);
    return { document, editor };
}

exports.testViews = async function () {
    await test('the registers of a kernel, with a chart', async () => {
        const { document } = await openAt('sum.ptx', 'add.s32');
        await command('ptx-analyzer.showRegisters');
        const content = await view('registers', (it) => it.svg !== undefined);
        assert.deepEqual(
            content.rows.map((it) => it.title),
            ['sum'],
        );
        assert.match(factsOf(content.rows[0]), /registers.*warps on sm_80.*live at most/);
        assert.equal(content.chosen, 'sum');
        assert.match(content.svg, new RegExp(`data-line="${at(document, 'add.s32').line}"`));
    });

    await test('the panel follows the editor, and edits after a while', async () => {
        await open('saxpy.ptx');
        await view('registers', (it) => it.chosen === 'saxpy');
        const { document, editor } = await open('sum.ptx');
        await view('registers', (it) => it.chosen === 'sum');
        const name = at(document, ' sum(', 0, 1);
        await editor.edit((edit) => edit.replace(new vscode.Range(name, name.translate(0, 3)), 'total_sum'));
        await view('registers', (it) => it.chosen === 'total_sum');
        await command('workbench.action.files.revert');
        await view('registers', (it) => it.chosen === 'sum');
    });

    await test('the control flow of the function at the cursor', async () => {
        const { document } = await openAt('sum.ptx', 'add.s32');
        await command('ptx-analyzer.showControlFlow');
        const content = await view('flow', (it) => it.svg !== undefined);
        assert.match(content.heading, /sum/);
        assert.match(factsOf(content.rows[0]), /blocks, 1 loop depth/);
        assert.match(content.svg, new RegExp(`data-line="${at(document, 'st.param').line}"`));
        await openAt('sum.ptx', '.version');
        await view('flow', (it) => it.svg === undefined && /cursor/.test(it.note));
    });

    await test('the map of the kernel at the cursor', async () => {
        const { document } = await openAt('sum.ptx', 'add.s32');
        await command('ptx-analyzer.showKernel');
        const content = await view('kernel', (it) => it.svg !== undefined);
        assert.equal(content.rows[0].title, 'sum, at most 256 threads');
        assert.match(content.svg, new RegExp(`data-line="${at(document, 'st.param').line}" data-end`));
        await openAt('sum.ptx', '.version');
        await view('kernel', (it) => it.svg === undefined && /cursor/.test(it.note));
        await closePanels();
    });

    await test('a reading marks its lines in the file, and the file those of the reading', async () => {
        const { document, editor } = await openAt('sum.ptx', 'st.global');
        await command('ptx-analyzer.readKernel');
        const reading = await until('the reading', () =>
            vscode.window.visibleTextEditors.find((it) => it.document.uri.scheme === 'ptx-reading'),
        );
        const { uri: shown, languageId } = reading.document;
        assert.equal(languageId, 'ptx-reading');
        const lines = reading.document.getText().split('\n');
        const row = lines.findIndex((it) => /\] = total\b/.test(it));
        const marks = (of) => api().read().get(of.toString()) ?? [];
        await until('the mark in the reading', () => marks(shown).some((it) => it.start.line === row));
        const start = new vscode.Position(row, 0);
        await vscode.window.showTextDocument(reading.document, {
            viewColumn: reading.viewColumn,
            selection: new vscode.Range(start, start),
        });
        const line = at(document, 'st.global').line;
        await until('the mark in the file', () => marks(document.uri).some((it) => it.start.line === line));
        const found = await command('vscode.executeDefinitionProvider', shown, start);
        assert.ok(found.some((it) => it.range.start.line === line));
        const links = await command('vscode.executeLinkProvider', shown);
        assert.ok(links.some((it) => it.target.fragment === `L${line + 1}`));
        assert.ok(links.some((it) => it.target.path.endsWith('sum.cu')));
        await vscode.window.showTextDocument(document, { viewColumn: editor.viewColumn });
        await closePanels();
    });

    await test('statements of an asm string and of a selection run on values', async () => {
        const shown = () => vscode.window.visibleTextEditors.find((it) => it.document.uri.scheme === 'ptx-trial');
        const content = 'void f(unsigned x) { asm("add.u32 %0, %0, %1;" : "+r"(x) : "r"(5u)); }\n';
        const source = await vscode.workspace.openTextDocument({ language: 'cpp', content });
        const editor = await vscode.window.showTextDocument(source);
        const cursor = at(source, 'add.u32');
        editor.selection = new vscode.Selection(cursor, cursor);
        const action = await until('the action', async () => {
            const found = await command('vscode.executeCodeActionProvider', source.uri, editor.selection);
            return found.find((it) => it.title === 'Try this PTX…');
        });
        const done = command(action.command.command, ...action.command.arguments);
        // Each operand has a value that fits.
        const results = await until('the results', async () => {
            if (shown() === undefined) await command('workbench.action.acceptSelectedQuickOpenItem');
            return shown();
        });
        await done;
        assert.match(results.document.getText(), /%0 \(\.u32, x\) = 1\n%1 \(\.u32, 5u\) = 5\n\n%0 \(\.u32\) = 6\n/);
        await closePanels();
        const { document } = await openAt('sum.ptx', 'add.s32');
        const second = command('ptx-analyzer.tryStatements');
        const others = await until('the results of PTX', async () => {
            if (shown() === undefined) await command('workbench.action.acceptSelectedQuickOpenItem');
            return shown();
        });
        await second;
        assert.match(others.document.getText(), /add\.s32/);
        await vscode.window.showTextDocument(document);
        await closePanels();
    });

    await test('targets are compared', async () => {
        await open('saxpy.ptx');
        await command('ptx-analyzer.compareTargets');
        const all = await view('targets', (it) => it.table !== undefined);
        assert.deepEqual(
            all.table.heads.map((it) => it.below),
            ['✓ no errors'],
        );
        assert.ok(all.table.heads[0].more.length > 5 && all.table.rows.length === 0);
        const { document } = await open('broken.ptx');
        await set('portability.targets', ['sm_80', 'sm_90']);
        const some = await view('targets', (it) => it.table?.heads[0].text === 'sm_80, sm_90');
        const line = at(document, '%count').line;
        assert.ok(some.table.rows.some((row) => row.marks[0] && row.lines.includes(line)));
        await set('portability.targets', undefined);
        await closePanels();
    });

    await test('a word is explained', async () => {
        await command('ptx-analyzer.explainWord', 'cp.async');
        const text = await until('the explanation', () =>
            vscode.workspace.textDocuments.find((it) => it.uri.scheme === 'ptx-word')?.getText(),
        );
        assert.match(text, /^# cp\.async\n\n\*instruction\*/);
        await closePanels();
    });

    await test('the live range of a register is marked until the text changes', async () => {
        const { document, editor } = await openAt('sum.ptx', '%total, %total', 1);
        await command('ptx-analyzer.showLiveRange');
        const marked = await until('the marks', () => api().marked().length > 0 && api().marked());
        const lines = (text) => at(document, text).line;
        const covers = (line) => marked.some((it) => it.start.line <= line && line <= it.end.line);
        assert.ok(covers(lines('call (answer)')), 'live in the loop');
        assert.ok(!covers(lines('ld.param.u64')), 'not live before it is written');
        await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), '\n'));
        assert.deepEqual(api().marked(), []);
        await command('workbench.action.files.revert');
    });

    await test('slices of a value are marked', async () => {
        const { document } = await openAt('sum.ptx', '%total, %total', 1);
        await command('ptx-analyzer.showBackwardSlice');
        const backward = await until('the marks', () => api().marked().length > 0 && api().marked());
        await command('ptx-analyzer.showForwardSlice');
        const forward = await until('other marks', () => api().marked() !== backward && api().marked());
        const write = at(document, '%total, %total').line;
        const has = (marks, line) => marks.some((it) => it.start.line === line);
        assert.ok(has(backward, write) && has(forward, write), 'the write is in both');
        assert.notDeepEqual(backward, forward);
        await command('ptx-analyzer.clearMarks');
    });

    await test('instructions of the same source line are marked', async () => {
        const { document } = await openAt('sum.ptx', 'setp.lt.u32');
        await command('ptx-analyzer.goToPtx');
        const marked = await until('the marks', () => api().marked().length > 0 && api().marked());
        const starts = marked.map((it) => it.start.line);
        assert.deepEqual(starts, [at(document, 'sub.s32').line, at(document, 'add.s32 %i').line]);
        await command('ptx-analyzer.clearMarks');
        assert.deepEqual(api().marked(), []);
    });

    await test('a line of CUDA leads to its instructions', async () => {
        const { document } = await openAt('sum.cu', 'total += scale');
        assert.notEqual(document.languageId, 'ptx');
        await command('ptx-analyzer.goToPtx');
        const ptx = uri('sum.ptx').toString();
        await until('the instructions', () =>
            vscode.window.visibleTextEditors.some((it) => it.document.uri.toString() === ptx),
        );
        await command('closeReferenceSearch');
    });

    await test('a task assembles the file in front', async () => {
        await open('sum.ptx');
        const tasks = await until('the task', async () => {
            const found = await vscode.tasks.fetchTasks({ type: 'ptxas' });
            return found.length > 0 && found;
        });
        const { execution, problemMatchers, group, definition } = tasks[0];
        assert.equal(definition.file, 'sum.ptx');
        assert.ok(
            execution.args.includes('-arch=sm_80') && execution.args.at(-1) === 'sum.ptx',
            execution.args.join(' '),
        );
        assert.deepEqual(problemMatchers, ['$ptxas']);
        assert.equal(group, vscode.TaskGroup.Build);
    });

    await test('commands without a PTX file say so and do nothing', async () => {
        await open('sum.cu');
        for (const name of ['showRegisters', 'showControlFlow', 'compareTargets', 'showLiveRange', 'runPtxas'])
            await command(`ptx-analyzer.${name}`);
        assert.equal(api().view('registers'), undefined);
        const { document } = await open('broken.ptx');
        await until('two errors', () => errorsOf(document).length === 2);
    });
};
