// Parses markdown that may take long, away from the page's own thread. Started by markdownThread.ts.
import { type LexedMarkdown, lexMarkdown } from './lexMarkdown.js';

export interface MarkdownAnswer {
  readonly id: number;
  readonly lexed: LexedMarkdown;
}

addEventListener('message', ({ data }: MessageEvent<{ readonly id: number; readonly text: string }>) => {
  postMessage({ id: data.id, lexed: lexMarkdown(data.text) } satisfies MarkdownAnswer);
});
