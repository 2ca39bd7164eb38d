/** Where the module is: a URL, its bytes, a response with them, or the compiled module. */
export type Source = URL | string | Response | BufferSource | WebAssembly.Module;

/** Compiles the module, once. Without a source it is read from beside this file. */
export function load(source?: Source): Promise<void>;

/**
 * Does what the first analysis would do once for all servers, in pieces, until it is done or disposed: for clients that
 * have time before their first message. Needs `load` before.
 */
export function warmUp(): Engine;

/** Compiles a module, for workers that share it. */
export function compile(source: Source): Promise<WebAssembly.Module>;

/** A language server on this thread. */
export interface Engine {
    /** Takes a JSON-RPC message, an object or its JSON. */
    receive(message: object | string): void;
    /** Ends the server: nothing is sent any more. */
    dispose(): void;
}

/** Starts a server that sends its messages, as JSON, to a function. Needs `load` before. */
export function start(send: (message: string) => void): Engine;
