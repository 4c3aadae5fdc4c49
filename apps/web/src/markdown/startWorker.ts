import highlightWorkerUrl from './highlightWorker.ts?worker&url';
import markdownWorkerUrl from './markdownWorker.ts?worker&url';
import type { ThreadWorker } from './workerThread.js';

/** The scripts that run beside the page. */
const SCRIPTS = { highlight: highlightWorkerUrl, markdown: markdownWorkerUrl };

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

export function startWorker<Asked, Answer>(name: keyof typeof SCRIPTS): ThreadWorker<Asked, Answer> {
  const url = SCRIPTS[name];
  return new Worker((policy?.createScriptURL(url) ?? url) as string, { type: 'module' });
}
