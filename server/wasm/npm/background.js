// A worker that is a language server: JSON-RPC messages in, messages out. It answers objects to clients that post
// objects, and JSON to those that post JSON. A client may post `{ wasm: … }` first, the URL or the module itself.

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

self.onmessage = async ({ data }) => {
    if (!loading) {
        loading = load(data?.wasm).then(() => {
            engine = start(send);
        });
        if (data?.wasm) {
            await loading;
            // The client is still being loaded, perhaps.
            warm ??= warmUp();
            return;
        }
    }
    warm?.dispose();
    warm = DONE;
    speaksText = typeof data === "string";
    if (!engine) {
        await loading;
    }
    engine.receive(data);
};
