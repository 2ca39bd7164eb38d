// The language server for NVIDIA PTX as a library: load the module once, then start servers.

import { Server, initSync, __wbg_reset_state } from "./ptx_analyzer.js";
import { Engine } from "./engine.js";

let compiled;

/**
 * Compiles the module, once.
 *
 * @param {import("./index.js").Source} [source] the module; fetched from beside this file without it
 */
export async function load(source = new URL("./ptx_analyzer_bg.wasm", import.meta.url)) {
    compiled ??= await compile(source);
}

async function compile(source) {
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
    return known ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
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

/** Starts a server that sends its messages, as JSON, to a function. */
export function start(send) {
    if (!compiled) {
        throw new Error("load() first");
    }
    return new Engine(newSession, send);
}
