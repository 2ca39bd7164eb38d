// The built package in Node: its size, a conversation, and the new instance after a panic.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { brotliCompressSync, constants } from 'node:zlib';

const folder = new URL('../../../target/web/npm/', import.meta.url);
const { load, start, warmUp } = await import(new URL('index.js', folder));
const { applyEdits, Engine } = await import(new URL('engine.js', folder));
await load();

/** What a page may load before the first hover, in bytes. */
const MAX_SIZE = 1_900_000;

const TEXT = '.version 8.0\n.target sm_90\n.entry k()\n{\n  wrong;\n}\n';
const URI = 'untitled:a.ptx';

const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { capabilities: {} } };
const open = (text, uri = URI) => ({
    jsonrpc: '2.0',
    method: 'textDocument/didOpen',
    params: { textDocument: { uri, languageId: 'ptx', version: 1, text } },
});

/** A client that waits for what it is told. */
function client(create = start) {
    const said = [];
    const waiting = [];
    const server = create((message) => {
        said.push(JSON.parse(message));
        for (const it of waiting.splice(0)) it();
    });
    return {
        server,
        said,
        async until(is) {
            for (;;) {
                const at = said.findIndex(is);
                if (at >= 0) return said.splice(at, 1)[0];
                await new Promise((resolve) => waiting.push(resolve));
            }
        },
    };
}

const published = ({ method }) => method === 'textDocument/publishDiagnostics';
const answer = (id) => (message) => message.id === id && message.method === undefined;

for (const name of ['ptx_analyzer_bg.wasm', 'ptx_debugger_bg.wasm']) test(`${name} is small`, () => {
    const module = readFileSync(new URL(name, folder));
    const params = {
        [constants.BROTLI_PARAM_QUALITY]: 11,
        [constants.BROTLI_PARAM_LGWIN]: 24,
        [constants.BROTLI_PARAM_SIZE_HINT]: module.length,
    };
    const { length } = brotliCompressSync(module, { params });
    console.log(`# ${module.length} bytes, ${length} with brotli`);
    assert.ok(length <= MAX_SIZE, `${length} bytes with brotli`);
});

test('messages go in and out as objects or as text', async () => {
    const { server, until } = client();
    server.receive(initialize);
    const { result } = await until(answer(1));
    assert.equal(result.capabilities.hoverProvider, true);
    server.receive(JSON.stringify(open(TEXT)));
    const { params } = await until(published);
    assert.deepEqual(
        params.diagnostics.map(({ code, range }) => [code, range.start.line]).filter(([code]) => code === 'unknown-instruction'),
        [['unknown-instruction', 4]],
    );
    server.dispose();
});

test('texts that are not messages are answered', async () => {
    const { server, until } = client();
    for (const [message, code] of [
        ['no JSON', -32700],
        ['{"jsonrpc":"2.0","id":1,', -32700],
        ['null', -32600],
        ['[]', -32600],
        [7, -32600],
        [null, -32600],
        [undefined, -32600],
    ]) {
        server.receive(message);
        const { error } = await until((it) => it.id === null);
        assert.equal(error.code, code, String(message));
    }
    // The shapes of parameters are the affair of the server.
    for (const method of ['ptx/didReadFiles', 'textDocument/didOpen', 'textDocument/didChange', 'textDocument/didClose']) {
        for (const params of [undefined, {}, { files: 1 }, { textDocument: { uri: URI } }]) {
            server.receive({ jsonrpc: '2.0', method, params });
        }
    }
    server.receive(initialize);
    await until(answer(1));
    server.dispose();
});

test('work before the first message changes no answer', async () => {
    const warm = warmUp();
    // Ended in the middle of it, and left to its end.
    const early = warmUp();
    await new Promise((resolve) => setTimeout(resolve, 5));
    early.dispose();
    const { server, said, until } = client();
    server.receive(initialize);
    await until(answer(1));
    server.receive(open(TEXT));
    const { params } = await until(published);
    assert.equal(params.uri, URI);
    assert.deepEqual(said, []);
    server.dispose();
    while (warm.session.waiting() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    warm.dispose();
});

test('edits that come together are diagnosed once', async () => {
    const { server, said, until } = client();
    server.receive(initialize);
    server.receive(open(TEXT));
    for (let version = 2; version <= 20; version += 1) {
        server.receive({
            jsonrpc: '2.0',
            method: 'textDocument/didChange',
            params: { textDocument: { uri: URI, version }, contentChanges: [{ text: `${TEXT}// ${version}\n` }] },
        });
    }
    await until((it) => published(it) && it.params.version === 20);
    assert.equal(said.filter(published).length, 0);
    server.dispose();
});

test('after a panic a new instance has the documents', async () => {
    const { server, until } = client();
    server.receive(initialize);
    server.receive(open(TEXT));
    await until(published);
    server.receive({
        jsonrpc: '2.0',
        method: 'textDocument/didChange',
        params: {
            textDocument: { uri: URI, version: 2 },
            contentChanges: [{ range: { start: { line: 4, character: 2 }, end: { line: 4, character: 7 } }, text: 'ret' }],
        },
    });
    await until(published);
    // As the trap of an abort does.
    const { session } = server;
    session.step = () => {
        throw new WebAssembly.RuntimeError('unreachable');
    };
    const hover = (id) => ({
        jsonrpc: '2.0',
        id,
        method: 'textDocument/hover',
        params: { textDocument: { uri: URI }, position: { line: 4, character: 3 } },
    });
    server.receive(hover(2));
    const failed = await until(answer(2));
    assert.equal(failed.error.code, -32603);
    server.receive(hover(3));
    const { result } = await until(answer(3));
    // The edit is in the text: it is an instruction now.
    assert.match(JSON.stringify(result), /ret/);
    assert.notEqual(server.session, session);
    server.dispose();
});

test('a text that panics every time is given up', async () => {
    let made = 0;
    const create = (send) =>
        new Engine(() => {
            made += 1;
            return {
                receive() {},
                waiting: () => 2,
                step() {
                    throw new Error('unreachable');
                },
                settle() {},
            };
        }, send);
    const { server, said } = client(create);
    server.receive(open(TEXT));
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.ok(made < 20, `${made} instances`);
    assert.ok(said.every(({ method }) => method === 'window/logMessage'));
    server.dispose();
});

test('edits are applied as the server does', () => {
    const at = (line, character) => ({ line, character });
    const apply = (text, ...edits) => {
        const document = { text, edits: edits.map(([start, end, text]) => ({ range: { start, end }, text })) };
        applyEdits(document);
        return document.text;
    };
    assert.equal(apply('ab\r\ncd', [at(1, 1), at(1, 2), 'x']), 'ab\r\ncx');
    assert.equal(apply('a\rb\nc', [at(2, 0), at(2, 0), 'x']), 'a\rb\nxc');
    assert.equal(apply('ab\ncd', [at(0, 9), at(1, 0), '-']), 'ab-cd');
    assert.equal(apply('ab', [at(7, 3), at(8, 0), 'c'], [at(0, 0), at(0, 1), '']), 'bc');
    assert.equal(apply('é\u{1f600}x', [at(0, 3), at(0, 4), 'y']), 'é\u{1f600}y');
});
