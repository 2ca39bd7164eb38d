/** Starts the server while the rest of the page is still being loaded: this file is small and comes first. */

const WORKER = new URL('server.js', document.baseURI);

/** Compiled once; both workers use it. */
const compiled = WebAssembly.compileStreaming(fetch(new URL('ptx_analyzer_bg.wasm', document.baseURI)));

/** A worker that waits for the module; messages that are posted meanwhile come after it. */
export class ServerWorker {
  /** Gets each message of the server; those from before it is set are lost, for a server speaks when it is asked. */
  onMessage: (data: string) => void = () => undefined;
  private readonly worker = new Worker(WORKER, { type: 'module' });
  private waiting: string[] | undefined = [];
  private failure: string | undefined;
  private told: ((message: string) => void) | undefined;

  constructor() {
    this.worker.onmessage = ({ data }: MessageEvent<string>) => this.onMessage(data);
    this.worker.onerror = (event) => this.fail(event.message || 'the worker cannot be loaded');
    compiled.then(
      (wasm) => {
        this.worker.postMessage({ wasm });
        for (const message of this.waiting ?? []) this.worker.postMessage(message);
        this.waiting = undefined;
      },
      (error: unknown) => this.fail(String(error)),
    );
  }

  /** Called when the worker cannot start or dies, also if that has happened before. */
  set onFailure(tell: (message: string) => void) {
    this.told = tell;
    if (this.failure !== undefined) tell(this.failure);
  }

  post(message: string): void {
    if (this.waiting) this.waiting.push(message);
    else this.worker.postMessage(message);
  }

  private fail(message: string): void {
    this.failure = message;
    this.told?.(message);
  }
}

/** The server of the editor. */
export const first = new ServerWorker();
