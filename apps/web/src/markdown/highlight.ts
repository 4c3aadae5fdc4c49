import type { HighlightedLine } from './highlightedLines.js';
import { HighlightQueue, type HighlightWorker } from './highlightQueue.js';
import workerUrl from './highlightWorker.ts?worker&url';
import { languageName } from './languageName.js';

export type { HighlightedLine } from './highlightedLines.js';

/** Longer code is shown plain. */
const LONGEST = 100_000;

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

/** The page's policy lets this one create addresses of scripts, and no other. */
const policy = (globalThis as { readonly trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('highlighter', {
  createScriptURL: () => workerUrl,
});

const queue = new HighlightQueue(
  () => new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' }) as HighlightWorker,
);

export function canHighlight(code: string, language: string | undefined): boolean {
  return code.length <= LONGEST && languageName(language) !== undefined;
}

/** Coloured lines, or `undefined` where nothing is known about the language or nobody waits any more. */
export async function highlight(
  code: string,
  language: string | undefined,
  signal?: AbortSignal,
): Promise<readonly HighlightedLine[] | undefined> {
  const name = languageName(language);
  return name && code.length <= LONGEST ? queue.highlight(code, name, signal) : undefined;
}
