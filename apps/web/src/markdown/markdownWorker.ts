// Parses slow markdown outside of the page's own thread. markdownThread.ts starts it.

import { type LexedMarkdown, lexMarkdown } from './lexMarkdown.js';
import { READY, type ThreadAnswer, type ThreadRequest } from './workerThread.js';

addEventListener('message', ({ data }: MessageEvent<ThreadRequest<string>>) => {
  postMessage({ id: data.id, answer: lexMarkdown(data.asked) } satisfies ThreadAnswer<LexedMarkdown>);
});
postMessage(READY);
