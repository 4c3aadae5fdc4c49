import { asPlain, type LexedMarkdown } from './lexMarkdown.js';
import type { MarkdownAnswer } from './markdownWorker.js';
import markdownWorkerUrl from './markdownWorker.ts?worker&url';

/** The page's policy lets a script's address through only where it comes from here. Not every browser asks for it. */
const policy = (globalThis as { readonly trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('agenthost-worker', {
  createScriptURL: (url) => {
    if (url !== markdownWorkerUrl) throw new TypeError(`not a script of this page: ${url}`);
    return url;
  },
});

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): unknown };
}

function trustedScript(url: string): string {
  return (policy?.createScriptURL(url) ?? url) as string;
}

/** A text that takes longer is shown as it is. */
const MAX_PARSE_MS = 1_000;
/** More texts than this don't wait: they are shown as they are. */
const MAX_WAITING = 100;

interface Waiting {
  readonly text: string;
  readonly resolve: (lexed: LexedMarkdown) => void;
}

/** Parses texts in a thread, one after the other; one that takes too long ends the thread, and the next one gets another. */
class MarkdownThread {
  readonly #queue: Waiting[] = [];
  #worker: Worker | undefined;
  #current:
    | { readonly id: number; readonly waiting: Waiting; readonly timer: ReturnType<typeof setTimeout> }
    | undefined;
  #lastId = 0;

  parse(text: string): Promise<LexedMarkdown> {
    if (this.#queue.length >= MAX_WAITING) return Promise.resolve(asPlain(text));
    return new Promise((resolve) => {
      this.#queue.push({ text, resolve });
      this.#next();
    });
  }

  #next(): void {
    if (this.#current) return;
    const waiting = this.#queue.shift();
    if (!waiting) return;
    const id = ++this.#lastId;
    const timer = setTimeout(() => this.#giveUp(), MAX_PARSE_MS);
    this.#current = { id, waiting, timer };
    this.#start().postMessage({ id, text: waiting.text });
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(trustedScript(markdownWorkerUrl), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<MarkdownAnswer>) => {
      if (data.id === this.#current?.id) this.#finish(data.lexed);
    });
    worker.addEventListener('error', () => {
      if (worker === this.#worker) this.#giveUp();
    });
    this.#worker = worker;
    return worker;
  }

  #giveUp(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    if (this.#current) this.#finish(asPlain(this.#current.waiting.text));
  }

  #finish(lexed: LexedMarkdown): void {
    const current = this.#current;
    if (!current) return;
    clearTimeout(current.timer);
    this.#current = undefined;
    current.waiting.resolve(lexed);
    this.#next();
  }
}

const thread = new MarkdownThread();

/** Parses a text that may take long. Resolves with the text as it is when it takes more than a second. */
export function parseInThread(text: string): Promise<LexedMarkdown> {
  return thread.parse(text);
}
