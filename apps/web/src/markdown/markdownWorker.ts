// Parses markdown that may take long, away from the page's own thread. Started by markdownThread.ts.

import { type LexedMarkdown, lexMarkdown } from './lexMarkdown.js';
import { READY, type ThreadAnswer, type ThreadRequest } from './workerThread.js';

addEventListener('message', ({ data }: MessageEvent<ThreadRequest<string>>) => {
  postMessage({ id: data.id, answer: lexMarkdown(data.asked) } satisfies ThreadAnswer<LexedMarkdown>);
});
postMessage(READY);
