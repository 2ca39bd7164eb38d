// The language server for NVIDIA PTX as a library: load the module once, then start servers.

import { Server, initSync, __wbg_reset_state } from "./ptx_analyzer.js";
import { Engine } from "./engine.js";

/** Statements of all kinds, with a mistake. */
const COMMON = `.version 8.0
.target sm_80
.address_size 64
.global .align 4 .b32 table[4] = {1, 2, 3, 4};
.visible .entry common(.param .u64 data, .param .u32 count) .maxntid 128
{
    .reg .pred %p<3>;
    .reg .b32 %r<9>;
    .reg .f32 %f<3>;
    .reg .b64 %rd<5>;
    .shared .align 4 .b8 tile[512];
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [count];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r2, %tid.x;
    mad.lo.s32 %r3, %r2, 4, %r1;
    mul.wide.s32 %rd3, %r3, 4;
    add.s64 %rd4, %rd2, %rd3;
$again:
    ld.global.f32 %f1, [%rd4];
    fma.rn.f32 %f2, %f1, 0f3F800000, %f1;
    st.global.f32 [%rd4], %f2;
    bar.sync 0;
    add.s32 %r4, %r4, 1;
    setp.lt.s32 %p1, %r4, %r1;
    @%p1 bra $again;
    add.u32 %r5, %r6, %missing;
    ret;
}
`;

let compiled;

/**
 * Compiles the module, once.
 *
 * @param {import("./index.js").Source} [source] the module; fetched from beside this file without it
 */
export async function load(source = new URL("./ptx_analyzer_bg.wasm", import.meta.url)) {
    compiled ??= await compile(source);
}

/** Compiles a module from its URL, its bytes or a response with them. */
export async function compile(source) {
    if (source instanceof WebAssembly.Module) {
        return source;
    }
    if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
        return WebAssembly.compile(source);
    }
    if (source instanceof URL && source.protocol === "file:") {
        // Node does not fetch files.
        const { readFile } = await import("node:fs/promises");
        return WebAssembly.compile(await readFile(source));
    }
    const response = source instanceof Response ? source : await fetch(source);
    if (!response.ok) {
        throw new Error(`${response.url}: ${response.status} ${response.statusText}`);
    }
    // Some hosts do not know the type of such files.
    const known = response.headers.get("Content-Type")?.startsWith("application/wasm");
    if (!known) {
        return WebAssembly.compile(await response.arrayBuffer());
    }
    try {
        return await WebAssembly.compileStreaming(response);
    } catch (error) {
        // Several workers load the module at once, and a response that they share may be truncated: what is wrong with
        // the module itself is another error.
        if (!(error instanceof TypeError) || source instanceof Response) {
            throw error;
        }
        return WebAssembly.compile(await (await fetch(source, { cache: "reload" })).arrayBuffer());
    }
}

/** The number of the instance, and of that of each session. */
let current = 0;
const instances = new WeakMap();

function instantiate() {
    if (current === 0) {
        initSync({ module: compiled });
    } else {
        __wbg_reset_state();
    }
    current += 1;
}

/** A session, in a new instance if the instance of the session that it replaces has failed. */
function newSession(failed) {
    if (current === 0 || (failed && instances.get(failed) === current)) {
        instantiate();
    }
    const session = new Server();
    instances.set(session, current);
    return session;
}

/**
 * Does what the first analysis would do once for all servers: the tables of instructions are read, and the code of the
 * module is compiled by the engine when it runs for the first time. `dispose` ends it early.
 */
export function warmUp() {
    const engine = start(() => {});
    const notify = (method, params, id) => engine.receive({ jsonrpc: "2.0", id, method, params });
    notify("initialize", { capabilities: {} }, 1);
    const textDocument = { uri: "untitled:warm.ptx", languageId: "ptx", version: 1, text: COMMON };
    notify("textDocument/didOpen", { textDocument });
    return engine;
}

/** Starts a server that sends its messages, as JSON, to a function. */
export function start(send) {
    if (!compiled) {
        throw new Error("load() first");
    }
    return new Engine(newSession, send);
}
