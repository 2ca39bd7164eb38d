// A worker that is a language server: JSON-RPC messages in, messages out. It answers objects to clients that post
// objects, and JSON to those that post JSON. The fragment of the worker's own URL may name the module, from there, so
// that it is loaded before the first message arrives; or a client may post `{ wasm: … }` first, the URL or the module
// itself.

import { load, start, warmUp } from "./index.js";

let engine;
let loading;
let warm;
let speaksText = false;

/** In place of the work before the first message: it is done, or it is too late for it. */
const DONE = { dispose() {} };

function send(message) {
    postMessage(speaksText ? message : JSON.parse(message));
}

async function begin(source) {
    await load(source);
    engine = start(send);
}

/** Begins, and works ahead: the client is still being loaded, perhaps. */
async function beginEarly(source) {
    loading = begin(source);
    await loading;
    warm ??= warmUp();
}

self.onmessage = async ({ data }) => {
    if (!loading) {
        if (data?.wasm) {
            await beginEarly(data.wasm);
            return;
        }
        loading = begin();
    }
    warm?.dispose();
    warm = DONE;
    speaksText = typeof data === "string";
    if (!engine) {
        await loading;
    }
    engine.receive(data);
};

const named = self.location?.hash.slice(1);
if (named) {
    // The page hears of it as of an error of the worker.
    beginEarly(new URL(named, self.location.href)).catch(reportError);
}
