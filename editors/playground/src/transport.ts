/** The workers that are language servers. */

import type { Transport } from '@codemirror/lsp-client';

import { COMMANDS } from './commands';
import { languageOf } from './examples';
import { first, ServerWorker } from './server_worker.js';

/** What a JSON-RPC message may have. */
interface Message {
  id?: number | string;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string };
}

/** Carries the messages of the editor. */
export class WorkerTransport implements Transport {
  private readonly worker = first;
  private readonly handlers = new Set<(message: string) => void>();

  /** `onFailure` is called when the worker cannot start or dies; panics of the server it survives. */
  constructor(onFailure: (message: string) => void) {
    this.worker.onMessage = (data) => {
      for (const handler of this.handlers) handler(data);
    };
    this.worker.onFailure = onFailure;
  }

  send(message: string): void {
    this.worker.post(message.includes('"method":"initialize"') ? withoutPull(message) : message);
  }

  subscribe(handler: (message: string) => void): void {
    this.handlers.add(handler);
  }

  unsubscribe(handler: (message: string) => void): void {
    this.handlers.delete(handler);
  }
}

/** The library announces that it asks for diagnostics, and takes them only when they are sent. */
function withoutPull(message: string): string {
  const initialize = JSON.parse(message) as { params: { capabilities: { textDocument?: { diagnostic?: unknown } } } };
  delete initialize.params.capabilities.textDocument?.diagnostic;
  return JSON.stringify(initialize);
}

/** A document as the second worker has it. */
interface Shown {
  version: number;
  text: string;
}

/** A second server, for questions that take long: typing does not wait for their answers. */
export class SlowServer {
  private readonly worker = new ServerWorker();
  private readonly open = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  private readonly documents = new Map<string, Shown>();
  private lastId = 0;

  constructor(settings: object) {
    this.worker.onMessage = (data) => this.receive(JSON.parse(data) as Message);
    this.worker.onFailure = (message) => {
      for (const { reject } of this.open.values()) reject(new Error(message));
    };
    void this.request('initialize', {
      capabilities: {
        textDocument: { hover: { contentFormat: ['markdown'] } },
        experimental: { commands: { commands: COMMANDS } },
      },
      initializationOptions: settings,
    });
    this.notify('initialized', {});
  }

  /** Tells the settings. */
  configure(settings: object): void {
    this.notify('workspace/didChangeConfiguration', { settings });
  }

  /** Asks about documents, which are brought up to date before. */
  ask<Result>(method: string, params: object, documents: Record<string, string>): Promise<Result> {
    for (const [uri, text] of Object.entries(documents)) {
      const shown = this.documents.get(uri);
      if (!shown) {
        this.documents.set(uri, { version: 1, text });
        const textDocument = { uri, languageId: languageOf(text, uri), version: 1, text };
        this.notify('textDocument/didOpen', { textDocument });
      } else if (shown.text !== text) {
        shown.version += 1;
        shown.text = text;
        const textDocument = { uri, version: shown.version };
        this.notify('textDocument/didChange', { textDocument, contentChanges: [{ text }] });
      }
    }
    return this.request(method, params) as Promise<Result>;
  }

  private request(method: string, params: object): Promise<unknown> {
    this.lastId += 1;
    const id = this.lastId;
    this.post({ id, method, params });
    return new Promise((resolve, reject) => this.open.set(id, { resolve, reject }));
  }

  private notify(method: string, params: object): void {
    this.post({ method, params });
  }

  private post(message: Message): void {
    this.worker.post(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  private receive({ id, method, result, error }: Message): void {
    if (method !== undefined || typeof id !== 'number') return;
    const waiting = this.open.get(id);
    this.open.delete(id);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result);
  }
}
