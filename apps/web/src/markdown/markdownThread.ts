import { asPlain, type LexedMarkdown } from './lexMarkdown.js';
import { startWorker } from './startWorker.js';
import { WorkerThread } from './workerThread.js';

/** A text that takes longer is shown as plain text, and so are waiting ones when there are too many. */
const LIMITS = { mostMs: 1_000, mostWaiting: 100 };

const thread = new WorkerThread<string, LexedMarkdown>(() => startWorker('markdown'), LIMITS);

/** Parses a text that may take long. Resolves with the plain text when it takes more than a second. */
export async function parseInThread(text: string): Promise<LexedMarkdown> {
  return (await thread.run(text)) ?? asPlain(text);
}
