// The same conversations with the program and with the module: every answer is the same, byte for byte, but for the order
// of the fields of objects, which means nothing.
//
// The clients are those whose `initialize` is recorded in tests/fixtures; what they ask and type is drawn by chance from
// a fixed seed. PTX_ANALYZER_SERVER names the program; without it the debug build is taken.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const top = fileURLToPath(new URL('../../../', import.meta.url));
const { load, start } = await import(new URL('../../../target/web/npm/index.js', import.meta.url));
const program =
    process.env.PTX_ANALYZER_SERVER ?? `${process.env.CARGO_TARGET_DIR ?? `${top}target`}/debug/ptx-analyzer`;

/** Places of a text that are asked about between two edits, and edits of a text. */
const PLACES = 6;
const EDITS = 4;
/** What is typed; it makes and mends mistakes. */
const TYPED = ['ld.global.', '\n  add.s32 ', '%r1', ';', '.reg .b32 %q<4>;\n', '{', '}\n', 'mov.u32 %r1, %nope;\n', '0f3F80', ' '];

/** Settings under which every feature answers, and nothing waits for a clock. */
const SETTINGS = {
    codeLens: { references: true },
    inlayHints: { defaults: true, demangledNames: true, registerTypes: true, liveRegisters: true },
    diagnostics: { debounce: 0, quietWhileTyping: false },
    portability: { targets: ['sm_80', 'sm_90a'] },
    workspace: { index: false },
    ptxas: { enable: 'off' },
};

/** xorshift32: the same numbers every time. */
function dice(seed) {
    let state = seed;
    return (below) => {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        return (state >>> 0) % below;
    };
}

/** JSON with the fields of objects in the order of their names. */
function canonical(value) {
    return JSON.stringify(value, (_, it) =>
        it !== null && typeof it === 'object' && !Array.isArray(it)
            ? Object.fromEntries(Object.entries(it).sort(([one], [other]) => (one < other ? -1 : 1)))
            : it,
    );
}

/** One side: takes messages, and gives the text of the answer to each request. */
class Side {
    constructor() {
        this.waiting = new Map();
    }

    hear(text) {
        const { id, method, result, error } = JSON.parse(text);
        if (method === undefined) {
            this.waiting.get(id)?.(canonical(error === undefined ? { result } : { error }));
            this.waiting.delete(id);
        } else if (id !== undefined) {
            const answer = method === 'workspace/configuration' ? [SETTINGS] : null;
            this.post({ jsonrpc: '2.0', id, result: answer });
        }
    }

    ask(id, method, params) {
        return new Promise((resolve) => {
            this.waiting.set(id, resolve);
            this.post({ jsonrpc: '2.0', id, method, params });
        });
    }

    tell(method, params) {
        this.post({ jsonrpc: '2.0', method, params });
    }
}

class Module extends Side {
    constructor() {
        super();
        this.engine = start((message) => this.hear(message));
        this.post = (message) => this.engine.receive(message);
    }

    async end() {
        this.engine.dispose();
    }
}

class Program extends Side {
    constructor() {
        super();
        this.process = spawn(program, ['lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
        let rest = Buffer.alloc(0);
        this.process.stdout.on('data', (chunk) => {
            rest = Buffer.concat([rest, chunk]);
            for (;;) {
                const end = rest.indexOf('\r\n\r\n');
                if (end < 0) return;
                const length = Number(/Content-Length: (\d+)/i.exec(rest.subarray(0, end))[1]);
                if (rest.length < end + 4 + length) return;
                this.hear(rest.subarray(end + 4, end + 4 + length).toString());
                rest = rest.subarray(end + 4 + length);
            }
        });
        this.post = (message) => {
            const text = JSON.stringify(message);
            this.process.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
        };
    }

    async end() {
        this.process.kill();
    }
}

/** The questions about a document and a place in it. */
function questions(uri, position, range, word) {
    const textDocument = { uri };
    const at = { textDocument, position };
    const options = { tabSize: 4, insertSpaces: true };
    return [
        ['textDocument/diagnostic', { textDocument }],
        ['textDocument/hover', at],
        ['textDocument/completion', at],
        ['textDocument/signatureHelp', at],
        ['textDocument/definition', at],
        ['textDocument/declaration', at],
        ['textDocument/implementation', at],
        ['textDocument/typeDefinition', at],
        ['textDocument/references', { ...at, context: { includeDeclaration: true } }],
        ['textDocument/documentHighlight', at],
        ['textDocument/prepareRename', at],
        ['textDocument/rename', { ...at, newName: '%renamed' }],
        ['textDocument/prepareCallHierarchy', at],
        ['textDocument/selectionRange', { textDocument, positions: [position] }],
        ['textDocument/codeAction', { textDocument, range, context: { diagnostics: [] } }],
        ['textDocument/inlayHint', { textDocument, range }],
        ['textDocument/semanticTokens/full', { textDocument }],
        ['textDocument/semanticTokens/range', { textDocument, range }],
        ['textDocument/documentSymbol', { textDocument }],
        ['textDocument/foldingRange', { textDocument }],
        ['textDocument/codeLens', { textDocument }],
        ['textDocument/documentLink', { textDocument }],
        ['textDocument/formatting', { textDocument, options }],
        ['textDocument/rangeFormatting', { textDocument, range, options }],
        ['textDocument/onTypeFormatting', { ...at, ch: ';', options }],
        ['workspace/symbol', { query: word.slice(0, 3) }],
        ['ptx/registers', { textDocument }],
        ['ptx/registerChart', { ...at, dark: false }],
        ['ptx/flowGraph', { ...at, dark: true }],
        ['ptx/liveRange', at],
        ['ptx/slice', at],
        ['ptx/registerAccesses', at],
        ['ptx/protocols', { textDocument }],
        ['ptx/compareTargets', { textDocument, targets: [] }],
        ['ptx/sameSourceLine', at],
        ['ptx/viewSyntaxTree', { textDocument }],
        ['ptx/explain', { name: word }],
    ];
}

/** A place by chance: the beginning of a word, or the middle of it. */
function place(text, roll) {
    const lines = text.split(/\r\n|\r|\n/);
    const line = roll(lines.length);
    const words = [...lines[line].matchAll(/[\w.%$]+/g)];
    const word = words[roll(words.length || 1)];
    const character = word ? word.index + roll(word[0].length + 1) : 0;
    return { position: { line, character }, word: word?.[0] ?? '', lines: lines.length };
}

/** Has a conversation with both, and returns how many questions were asked. */
async function converse(params, { uri, languageId, text }, seed) {
    const roll = dice(seed);
    const sides = [new Program(), new Module()];
    const both = (act) => Promise.all(sides.map(act));
    let id = 0;
    const same = async (method, params) => {
        id += 1;
        const [program, module] = await both((side) => side.ask(id, method, params));
        assert.equal(module, program, `${method} ${JSON.stringify(params)} of\n${text}`);
        return JSON.parse(program).result;
    };
    try {
        id += 1;
        const own = { ...params, initializationOptions: SETTINGS, processId: null, rootUri: null, workspaceFolders: null };
        await both((side) => side.ask(id, 'initialize', own));
        await both((side) => side.tell('initialized', {}));
        await both((side) => side.tell('textDocument/didOpen', { textDocument: { uri, languageId, version: 1, text } }));
        for (let version = 2; version < 2 + EDITS; version += 1) {
            for (let step = 0; step < PLACES; step += 1) {
                const { position, word, lines } = place(text, roll);
                const range = { start: position, end: { line: Math.min(position.line + roll(9), lines), character: 0 } };
                if (range.end.line === position.line) range.end = position;
                for (const [method, asked] of questions(uri, position, range, word)) {
                    const result = await same(method, asked);
                    if (method === 'textDocument/completion') {
                        const items = result?.items ?? result ?? [];
                        if (items.length > 0) await same('completionItem/resolve', items[roll(items.length)]);
                    }
                    if (method === 'textDocument/prepareCallHierarchy') {
                        for (const item of result ?? []) {
                            await same('callHierarchy/incomingCalls', { item });
                            await same('callHierarchy/outgoingCalls', { item });
                        }
                    }
                }
            }
            const { position } = place(text, roll);
            const typed = TYPED[roll(TYPED.length)];
            const ends = [...text.matchAll(/\r\n|\r|\n/g)].map((it) => it.index + it[0].length);
            const offset = (position.line === 0 ? 0 : ends[position.line - 1]) + position.character;
            text = text.slice(0, offset) + typed + text.slice(offset);
            const change = { range: { start: position, end: position }, text: typed };
            await both((side) =>
                side.tell('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [change] }),
            );
        }
    } finally {
        await both((side) => side.end());
    }
    return id;
}

const folder = (path) => readdirSync(`${top}${path}`).map((name) => ({ name, path: `${top}${path}/${name}` }));
const texts = [
    ...folder('tests/fixtures/ptx').map((it) => ({ ...it, languageId: 'ptx' })),
    ...folder('tests/editors/vscode/workspace')
        .filter(({ name }) => name.endsWith('.cu'))
        .map((it) => ({ ...it, languageId: 'cuda-cpp' })),
].map(({ name, path, languageId }) => ({ uri: `untitled:${name}`, languageId, text: readFileSync(path, 'utf8') }));
const clients = folder('tests/fixtures/initialize').map(({ name, path }) => ({
    name,
    // Columns of the test are those of JavaScript, so clients that choose say so.
    params: inUtf16(JSON.parse(readFileSync(path, 'utf8'))),
}));

function inUtf16(params) {
    const { general } = params.capabilities;
    if (general?.positionEncodings) general.positionEncodings = ['utf-16'];
    return params;
}

let asked = 0;
before(async () => {
    assert.ok(existsSync(program), `there is no program ${program}; cargo build --package ptx-analyzer makes it`);
    await load();
});
after(() => console.log(`# ${asked} answers are the same`));

for (const [index, text] of texts.entries()) {
    const { name, params } = clients[index % clients.length];
    test(`${text.uri} with ${name}`, async () => {
        asked += await converse(params, text, 17 + 977 * index);
    });
}

test('documentation is the same', async () => {
    const sides = [new Program(), new Module()];
    const both = (act) => Promise.all(sides.map(act));
    try {
        await both((side) => side.ask(1, 'initialize', { capabilities: {} }));
        await both((side) => side.tell('initialized', {}));
        const [program, module] = await both((side) => side.ask(2, 'ptx/words', {}));
        assert.equal(module, program);
        const words = JSON.parse(program).result;
        assert.ok(words.length > 500);
        for (const [index, { name }] of words.entries()) {
            const [program, module] = await both((side) => side.ask(3 + index, 'ptx/explain', { name }));
            assert.equal(module, program, name);
        }
        asked += words.length;
    } finally {
        await both((side) => side.end());
    }
});
