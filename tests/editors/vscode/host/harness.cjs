// What the tests inside the extension host share: named tests, waiting, and places in texts.
const vscode = require('vscode');
const assert = require('node:assert/strict');

const folder = vscode.workspace.workspaceFolders[0].uri;
const uri = (name) => vscode.Uri.joinPath(folder, name);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const command = (name, ...args) => vscode.commands.executeCommand(name, ...args);

/** Asks again and again until the answer is truthy; fails with what was waited for. */
async function until(what, ask, ms = 15_000) {
    const start = Date.now();
    for (;;) {
        const answer = await ask();
        if (answer) return answer;
        if (Date.now() - start > ms) throw new Error(`waited in vain for ${what}`);
        await sleep(50);
    }
}

/** Where `text` is in the document: the start of its nth occurrence, counted from 0, plus `into`. */
function at(document, text, nth = 0, into = 0) {
    let offset = -1;
    for (let i = 0; i <= nth; i++) {
        offset = document.getText().indexOf(text, offset + 1);
        assert.notEqual(offset, -1, `${JSON.stringify(text)} is not there ${nth + 1} times`);
    }
    return document.positionAt(offset + into);
}

const textOf = (contents) => contents.map((c) => (typeof c === 'string' ? c : c.value)).join('\n');
const errorsOf = (document) =>
    vscode.languages.getDiagnostics(document.uri).filter((d) => d.severity === vscode.DiagnosticSeverity.Error);

const counts = { passed: 0, failed: 0 };
async function test(name, body) {
    try {
        await body();
        counts.passed++;
        console.log(`ok ${name}`);
    } catch (error) {
        counts.failed++;
        console.log(`not ok ${name}\n${error?.stack ?? error}`);
    }
}

/** Opens a file of the first folder and shows it. */
async function open(name) {
    const document = await vscode.workspace.openTextDocument(typeof name === 'string' ? uri(name) : name);
    return { document, editor: await vscode.window.showTextDocument(document) };
}

/** What the extension offers to tests; there once it has been activated. */
const api = () => vscode.extensions.getExtension('ptx-analyzer.ptx-analyzer').exports;
const ready = () => until('the server to be ready', () => api().state().kind === 'ready');
const settings = () => vscode.workspace.getConfiguration('ptx-analyzer');
/** Changes a setting of the user; undefined takes the change back. */
const set = (name, value) => settings().update(name, value, vscode.ConfigurationTarget.Global);

function isRunning(pid) {
    try {
        process.kill(pid, 0);
        return true;
    } catch {
        return false;
    }
}

module.exports = {
    isRunning,
    api,
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
};
