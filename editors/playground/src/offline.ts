/// <reference lib="webworker" />
/** Keeps the page for when there is no network: answers from the network first, and from what was kept without it. */

const CACHE = 'ptx-analyzer';
const FILES = [
  './',
  'boot.js',
  'server_worker.js',
  'main.js',
  'style.css',
  'server.js',
  'debug.js',
  'ptx_analyzer_bg.wasm',
  'ptx_debugger_bg.wasm',
  'icon.svg',
];
const worker = self as unknown as ServiceWorkerGlobalScope;

worker.addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)));
});

worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || new URL(request.url).origin !== location.origin) return;
  event.respondWith(answer(request));
});

async function answer(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }
}
