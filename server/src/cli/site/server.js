// The language server of the playground, for the pages of the book. The first request loads it.
const ptxServer = (() => {
  const playground = new URL(`${path_to_root}playground/`, document.baseURI);
  let server;
  let lastId = 0;
  /** Requests and documents that have no answer yet, by id and by address. */
  const waiting = new Map();
  const send = (message) => server.postMessage({ jsonrpc: '2.0', ...message });
  const settle = (key, act, value) => {
    waiting.get(key)?.[act](value);
    waiting.delete(key);
  };
  const start = () => {
    if (server) return;
    server = new Worker(new URL('server.js#ptx_analyzer_bg.wasm', playground), { type: 'module' });
    server.onmessage = ({ data }) => {
      if (data.method === 'textDocument/publishDiagnostics') settle(data.params.uri, 'resolve', data.params.diagnostics);
      else if (data.error) settle(data.id, 'reject', new Error(data.error.message));
      else if (!data.method) settle(data.id, 'resolve', data.result);
    };
    server.onerror = (event) => {
      server = undefined;
      for (const { reject } of waiting.values()) reject(new Error(event.message || 'the module cannot be loaded'));
      waiting.clear();
    };
    send({ id: 'start', method: 'initialize', params: { capabilities: {} } });
    send({ method: 'initialized', params: {} });
  };
  const answer = (key, message) => {
    start();
    return new Promise((resolve, reject) => {
      waiting.set(key, { resolve, reject });
      send(message);
    });
  };
  return {
    playground,
    /** The result of a request. */
    ask(method, params) {
      lastId += 1;
      return answer(lastId, { id: lastId, method, params });
    },
    /** The diagnostics of a module. */
    check(text) {
      lastId += 1;
      const uri = `book:/${lastId}/module.ptx`;
      const textDocument = { uri, languageId: 'ptx', version: 1, text };
      return answer(uri, { method: 'textDocument/didOpen', params: { textDocument } });
    },
  };
})();
const ptxElement = (name, text = '', className = '') => {
  const it = document.createElement(name);
  it.textContent = text;
  if (className !== '') it.className = className;
  return it;
};
