/** Workers with a server, and the first of them, which starts at once. */

/** The worker loads the module itself, for messages to it wait while the page is being loaded. */
const WORKER = new URL('server.js#ptx_analyzer_bg.wasm', document.baseURI);

/** A worker that is a server. */
export class ServerWorker {
  /** Gets each message of the server; those from before it is set are lost, for a server speaks when it is asked. */
  onMessage: (data: string) => void = () => undefined;
  private readonly worker = new Worker(WORKER, { type: 'module' });
  private failure: string | undefined;
  private told: ((message: string) => void) | undefined;

  constructor() {
    this.worker.onmessage = ({ data }: MessageEvent<string>) => this.onMessage(data);
    this.worker.onerror = (event) => this.fail(event.message || 'the worker cannot be loaded');
  }

  /** Called when the worker cannot start or dies, also if that has happened before. */
  set onFailure(tell: (message: string) => void) {
    this.told = tell;
    if (this.failure !== undefined) tell(this.failure);
  }

  post(message: string): void {
    this.worker.postMessage(message);
  }

  private fail(message: string): void {
    this.failure = message;
    this.told?.(message);
  }
}

/** The server of the editor. */
export const first = new ServerWorker();
