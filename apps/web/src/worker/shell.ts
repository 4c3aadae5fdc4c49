import type { WorkerScope } from './workerScope.js';

/** Filled in by the build: the page's own files, and what tells this build from another. */
declare const SHELL_FILES: readonly string[];
declare const SHELL_BUILD: string;

const FILES = SHELL_FILES;
const PREFIX = 'agenthost-shell-';
const CACHE = PREFIX + SHELL_BUILD;
/** How long a page waits for its host before the kept copy is shown. */
const PATIENCE_MS = 4_000;
/** What a proxy answers for a host that is away. */
const AWAY = new Set([502, 503, 504]);

/**
 * Keeps the page's own files, so that it opens while its host is away. Nothing else is ever kept: no answer that depends on a token or
 * a session. The document comes from the host whenever that answers, so an old page can't outlive an update.
 */
export function keepShell(worker: WorkerScope): void {
  const files = new Set(FILES);
  worker.addEventListener('install', (event) => event.waitUntil(install().then(() => worker.skipWaiting())));
  worker.addEventListener('activate', (event) => event.waitUntil(removeOld().then(() => worker.clients.claim())));
  worker.addEventListener('fetch', (event) => {
    const { request } = event;
    const url = new URL(request.url);
    if (request.method !== 'GET' || url.origin !== worker.location.origin || url.search !== '') return;
    if (request.mode === 'navigate') {
      if (url.pathname === '/') event.respondWith(pageDocument(request));
    } else if (files.has(url.pathname)) event.respondWith(file(request));
  });
}

async function install(): Promise<void> {
  const cache = await caches.open(CACHE);
  // Past the browser's own cache: it may have the document of another build.
  await cache.addAll(['/', ...FILES].map((path) => new Request(path, { cache: 'reload' })));
  const text = (await (await cache.match('/'))?.text()) ?? '';
  const isOfThisBuild = FILES.filter((path) => path.endsWith('.js') && text.includes(path)).length > 0;
  if (isOfThisBuild) return;
  // The host was updated in between. The browser asks for the new worker the next time.
  await caches.delete(CACHE);
  throw new Error('the page was updated while it was kept');
}

/** Keeps the one before: a page that is still open may load parts of it. */
async function removeOld(): Promise<void> {
  const kept = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(kept.slice(0, -1).map((name) => caches.delete(name)));
}

async function pageDocument(request: Request): Promise<Response> {
  const kept = () => caches.match('/', { cacheName: CACHE });
  try {
    const response = await fetch(request, { signal: AbortSignal.timeout(PATIENCE_MS) });
    return AWAY.has(response.status) ? ((await kept()) ?? response) : response;
  } catch (error) {
    const copy = await kept();
    if (copy) return copy;
    throw error;
  }
}

async function file(request: Request): Promise<Response> {
  return (await caches.match(request, { cacheName: CACHE })) ?? fetch(request);
}
