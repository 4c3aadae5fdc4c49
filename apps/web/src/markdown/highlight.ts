import type { HighlightedLine } from './highlightedLines.js';
import type { HighlightRequest } from './highlightWorker.js';
import { languageName } from './languageName.js';
import { startWorker } from './startWorker.js';
import { WorkerThread } from './workerThread.js';

export type { HighlightedLine } from './highlightedLines.js';

/** Longer code is shown plain. */
const LONGEST = 100_000;
/** The first block of a language waits until the language is loaded. */
const MOST_MS = 10_000;

const thread = new WorkerThread<HighlightRequest, readonly HighlightedLine[]>(() => startWorker('highlight'), {
  mostMs: MOST_MS,
});

export function canHighlight(code: string, language: string | undefined): boolean {
  return code.length <= LONGEST && languageName(language) !== undefined;
}

/** Coloured lines, or `undefined` if the language is unknown or the request was cancelled. */
export async function highlight(
  code: string,
  language: string | undefined,
  signal?: AbortSignal,
): Promise<readonly HighlightedLine[] | undefined> {
  const name = languageName(language);
  return name && code.length <= LONGEST ? thread.run({ code, language: name }, signal) : undefined;
}
