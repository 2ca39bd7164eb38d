// A worker that runs and debugs one text: messages of the Debug Adapter Protocol in and out, as JSON. The first message
// is `{ path, text }`, perhaps with `wasm`, the URL of the module or the module itself; without it the module is beside
// this file. The worker serves one session; whoever ends it early terminates the worker.

import { Debugger, initSync } from "./ptx_debugger.js";
import { compile } from "./index.js";

/** Milliseconds of work after which messages that have arrived are taken. */
const SLICE = 20;

let session;
let begun;
const early = [];
const { port1, port2 } = new MessageChannel();
let isScheduled = false;

function send(messages) {
    for (const message of messages) {
        postMessage(message);
    }
}

function schedule() {
    if (!isScheduled && session?.is_running()) {
        isScheduled = true;
        port2.postMessage(null);
    }
}

port1.onmessage = () => {
    isScheduled = false;
    const end = performance.now() + SLICE;
    while (session.is_running() && performance.now() < end) {
        send(session.advance());
    }
    schedule();
};

function take(message) {
    send(session.receive(message));
    schedule();
}

async function begin({ path, text, wasm }) {
    initSync({ module: await compile(wasm ?? new URL("./ptx_debugger_bg.wasm", import.meta.url)) });
    session = new Debugger(path, text);
    early.splice(0).forEach(take);
}

self.onmessage = ({ data }) => {
    if (!begun) {
        // The page hears of it as of an error of the worker.
        begun = begin(data).catch(reportError);
    } else if (session) {
        take(data);
    } else {
        early.push(data);
    }
};
