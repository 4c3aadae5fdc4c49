import highlightWorkerUrl from './highlightWorker.ts?worker&url';
import markdownWorkerUrl from './markdownWorker.ts?worker&url';
import type { ThreadWorker } from './workerThread.js';

/** The scripts that run beside the page. The service worker has the same address in every build, so that it can be updated. */
const SCRIPTS = { highlight: highlightWorkerUrl, markdown: markdownWorkerUrl, serviceWorker: '/sw.js' };

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): unknown };
}

/** The page's policy accepts only script addresses made here. Not every browser enforces it. */
const policy = (globalThis as { readonly trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('agenthost-worker', {
  createScriptURL: (url) => {
    if (!Object.values(SCRIPTS).includes(url)) throw new TypeError(`not a script of this page: ${url}`);
    return url;
  },
});

export function startWorker<Asked, Answer>(name: 'highlight' | 'markdown'): ThreadWorker<Asked, Answer> {
  return new Worker(trusted(SCRIPTS[name]), { type: 'module' });
}

export function serviceWorkerUrl(): string {
  return trusted(SCRIPTS.serviceWorker);
}

function trusted(url: string): string {
  return (policy?.createScriptURL(url) ?? url) as string;
}
