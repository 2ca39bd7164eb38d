// One client and its server: queueing, the clock, and a new instance after a panic.

/** Without an edit for as long, what was held back about the statement at the cursor is told. */
const QUIET = 1000;
/** Diagnostics of a long document that take longer wait for a pause in typing of as long, within bounds. */
const MIN_PAUSE = 30;
const MAX_PAUSE = 200;
/** So many edits of a document are kept before they are applied to the text that a new instance would open. */
const MAX_EDITS = 500;
/** After so many panics in a row, the documents are what panics: they are not opened again. After twice as many, it ends. */
const MAX_PANICS = 3;

/** The error code of JSON-RPC for a bug of the server. */
const INTERNAL_ERROR = -32603;
/** Those for what is not JSON, and for JSON that is not a message. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/**
 * A server that takes messages when they come and works on them in pieces, so that messages which come meanwhile count.
 */
export class Engine {
    /**
     * @param {(failed?: object) => object} create makes a session, in place of one that has failed
     * @param {(message: string) => void} send gets the messages for the client
     */
    constructor(create, send) {
        this.create = create;
        this.send = send;
        this.session = create();
        /** Notifications that a new instance must get before the documents. */
        this.handshake = [];
        /** Open documents: the text that was opened, and its edits. */
        this.documents = new Map();
        /** Files that the client has read, by their URIs. */
        this.files = new Map();
        /** Requests without an answer. */
        this.open = new Set();
        this.panics = 0;
        this.scheduled = false;
        this.ended = false;
        this.slow = undefined;
        this.quiet = undefined;
        this.cost = 0;
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => this.work();
        port1.unref?.();
        this.port = port2;
        this.inner = port1;
    }

    /** Takes a message of the client, an object or its JSON. */
    receive(message) {
        let object = message;
        let text = message;
        if (typeof message === "string") {
            try {
                object = JSON.parse(message);
            } catch (error) {
                this.refuse(PARSE_ERROR, String(error));
                return;
            }
        } else {
            text = JSON.stringify(message);
        }
        if (typeof object !== "object" || object === null || Array.isArray(object)) {
            this.refuse(INVALID_REQUEST, "a message is an object");
            return;
        }
        this.note(object);
        this.guard(() => this.session.receive(text));
        this.schedule();
    }

    /** Answers what has no id that can be read. */
    refuse(code, message) {
        this.send(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } }));
    }

    /** Ends it: nothing is sent any more. */
    dispose() {
        clearTimeout(this.slow);
        clearTimeout(this.quiet);
        this.ended = true;
        this.inner.close();
        this.port.close();
        this.send = () => {};
    }

    /** Remembers what a new instance would need. */
    note({ id, method, params }) {
        if (id !== undefined && method !== undefined) {
            this.open.add(id);
        }
        const uri = params?.textDocument?.uri;
        switch (method) {
            case "initialize":
                this.handshake = [{ jsonrpc: "2.0", id, method, params }];
                break;
            case "initialized":
                this.handshake.push({ jsonrpc: "2.0", method, params });
                break;
            case "workspace/didChangeConfiguration":
                this.settings = { jsonrpc: "2.0", method, params };
                break;
            case "ptx/didReadFiles":
                for (const file of Array.isArray(params?.files) ? params.files : []) {
                    file.text === null ? this.files.delete(file.uri) : this.files.set(file.uri, file);
                }
                break;
            case "textDocument/didOpen":
                if (typeof params?.textDocument?.text !== "string") {
                    break;
                }
                this.documents.set(uri, { ...params.textDocument, edits: [] });
                break;
            case "textDocument/didClose":
                this.documents.delete(uri);
                break;
            case "textDocument/didChange": {
                const document = this.documents.get(uri);
                if (document && Array.isArray(params.contentChanges)) {
                    document.version = params.textDocument.version;
                    document.edits.push(...params.contentChanges);
                    if (document.edits.length > MAX_EDITS) {
                        applyEdits(document);
                    }
                }
                clearTimeout(this.quiet);
                this.quiet = setTimeout(() => {
                    this.guard(() => this.session.settle());
                    this.schedule();
                }, QUIET);
                this.quiet.unref?.();
                break;
            }
        }
    }

    /** Works as soon as messages that have arrived by now are taken. */
    schedule() {
        if (!this.scheduled && !this.ended) {
            this.scheduled = true;
            this.inner.ref?.();
            this.port.postMessage(null);
        }
    }

    work() {
        this.scheduled = false;
        this.inner.unref?.();
        const waiting = this.guard(() => this.session.waiting()) ?? 0;
        if (waiting === 2) {
            clearTimeout(this.slow);
            this.step();
            this.schedule();
        } else if (waiting === 1) {
            clearTimeout(this.slow);
            const pause = Math.min(this.cost, MAX_PAUSE);
            if (pause < MIN_PAUSE) {
                this.stepSlowly();
            } else {
                this.slow = setTimeout(() => this.stepSlowly(), pause);
            }
        }
    }

    stepSlowly() {
        const start = performance.now();
        this.step();
        this.cost = performance.now() - start;
        this.schedule();
    }

    step() {
        const messages = this.guard(() => this.session.step());
        for (const message of messages ?? []) {
            const answered = /^\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|-?\d+),"(?:result|error)"/.exec(message);
            if (answered) {
                this.open.delete(JSON.parse(answered[1]));
            }
            this.send(message);
        }
        if (messages) {
            this.panics = 0;
        }
    }

    /** A panic ends an instance: another one opens the documents again, and what was asked is answered so. */
    guard(act) {
        try {
            return act();
        } catch (error) {
            this.restart(error);
            return undefined;
        }
    }

    restart(error) {
        this.panics += 1;
        const message = `the server panicked and was started again: ${error}`;
        const params = { type: 1, message };
        this.send(JSON.stringify({ jsonrpc: "2.0", method: "window/logMessage", params }));
        for (const id of this.open) {
            const object = { code: INTERNAL_ERROR, message };
            this.send(JSON.stringify({ jsonrpc: "2.0", id, error: object }));
        }
        this.open.clear();
        if (this.panics > 2 * MAX_PANICS) {
            this.dispose();
            return;
        }
        if (this.panics > MAX_PANICS) {
            this.documents.clear();
            this.files.clear();
        }
        try {
            this.session = this.create(this.session);
            for (const message of this.handshake) {
                this.session.receive(JSON.stringify(message));
                while (this.session.waiting() > 0) {
                    // The client has these answers.
                    this.session.step();
                }
            }
            if (this.settings) {
                this.session.receive(JSON.stringify(this.settings));
            }
            if (this.files.size > 0) {
                const params = { files: [...this.files.values()] };
                this.session.receive(JSON.stringify({ jsonrpc: "2.0", method: "ptx/didReadFiles", params }));
            }
            for (const document of this.documents.values()) {
                applyEdits(document);
                const { edits: _, ...textDocument } = document;
                const message = { jsonrpc: "2.0", method: "textDocument/didOpen", params: { textDocument } };
                this.session.receive(JSON.stringify(message));
            }
        } catch (again) {
            this.restart(again);
            return;
        }
        this.schedule();
    }
}

/** Brings the text of a document up to date. Columns are UTF-16, as in JavaScript. */
export function applyEdits(document) {
    for (const { range, text } of document.edits) {
        if (!range) {
            document.text = text;
            continue;
        }
        const [start, end] = [offsetOf(document.text, range.start), offsetOf(document.text, range.end)];
        document.text = document.text.slice(0, start) + text + document.text.slice(end);
    }
    document.edits = [];
}

/** The offset of a position; one after the end of a line or of the text is that end. */
function offsetOf(text, { line, character }) {
    const ends = /\r\n|\r|\n/g;
    let start = 0;
    for (let at = 0; at < line; at += 1) {
        if (!ends.exec(text)) {
            return text.length;
        }
        start = ends.lastIndex;
    }
    const end = ends.exec(text)?.index ?? text.length;
    return Math.min(start + character, end);
}
