import type { DiagramRequest } from './messages.js';

/** The document with mermaid; the build names it after the hash of its script. */
declare const DIAGRAM_FRAME: string;

/** A longer text is shown as it is written. */
export const LONGEST_DIAGRAM = 20_000;
/** A picture with more characters is not taken. */
const LARGEST_PICTURE = 2_000_000;
/** For one diagram; and before the first one, for a megabyte over a slow network. */
const DRAW_MS = 5_000;
const LOAD_MS = 30_000;
/** Without work for so long, the frame and its memory go. */
const IDLE_MS = 30_000;
/** Drawn pictures that are kept, and diagrams that wait; the newest ones. */
const MOST_KEPT = 30;
const MOST_WAITING = 50;

interface Job {
  readonly request: DiagramRequest;
  readonly key: string;
  readonly resolve: (svg: string) => void;
  readonly reject: (error: Error) => void;
}

let frame: HTMLIFrameElement | undefined;
let isReady = false;
let running: Job | undefined;
let lastId = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
const waiting: Job[] = [];
const kept = new Map<string, string>();

/**
 * Draws in one frame for the whole page, one diagram after the other. The picture is only ever shown as an image, in which nothing
 * runs and nothing is loaded. Rejects when it can't be drawn, or not in time.
 */
export function drawDiagram(text: string, isDark: boolean): Promise<string> {
  const key = `${isDark ? 'dark' : 'light'} ${text}`;
  const known = kept.get(key);
  if (known !== undefined) return Promise.resolve(known);
  if (text.length > LONGEST_DIAGRAM) return Promise.reject(new Error('It is too long to be drawn.'));
  return new Promise((resolve, reject) => {
    waiting.push({ request: { id: ++lastId, text, isDark }, key, resolve, reject });
    if (waiting.length > MOST_WAITING) waiting.shift()?.reject(new Error('There are too many diagrams.'));
    next();
  });
}

function next(): void {
  if (running) return;
  const job = waiting.shift();
  if (!job) {
    if (frame) wait(IDLE_MS, removeFrame);
    return;
  }
  running = job;
  if (isReady) send();
  else {
    addFrame();
    wait(LOAD_MS, () => fail(new Error("The program that draws diagrams can't be loaded.")));
  }
}

function send(): void {
  if (!running) return;
  frame?.contentWindow?.postMessage(running.request, '*');
  wait(DRAW_MS, () => fail(new Error('It takes too long to draw.')));
}

function wait(ms: number, then: () => void): void {
  clearTimeout(timer);
  timer = setTimeout(then, ms);
}

function addFrame(): void {
  if (frame) return;
  frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.src = DIAGRAM_FRAME;
  frame.className = 'diagram-frame';
  frame.tabIndex = -1;
  frame.title = 'Draws diagrams';
  frame.setAttribute('aria-hidden', 'true');
  window.addEventListener('message', take);
  document.body.append(frame);
}

function removeFrame(): void {
  clearTimeout(timer);
  window.removeEventListener('message', take);
  frame?.remove();
  frame = undefined;
  isReady = false;
}

/** Nothing of it can be trusted, but that it is a text: it becomes an image. */
function take({ source, data }: MessageEvent<unknown>): void {
  if (!frame || source !== frame.contentWindow || typeof data !== 'object' || data === null) return;
  const { type, id, svg, reason } = data as Record<string, unknown>;
  if (type === 'ready' && !isReady) {
    isReady = true;
    send();
    return;
  }
  if (!running || id !== running.request.id) return;
  if (type === 'drawn' && typeof svg === 'string' && svg.length <= LARGEST_PICTURE) end(running, svg);
  else end(running, new Error(typeof reason === 'string' ? reason.slice(0, 500) : "It can't be drawn."));
}

function end(job: Job, outcome: string | Error): void {
  running = undefined;
  if (typeof outcome === 'string') {
    kept.set(job.key, outcome);
    for (const key of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(key);
    job.resolve(outcome);
  } else job.reject(outcome);
  next();
}

/** Whatever runs in the frame ends with it. */
function fail(error: Error): void {
  removeFrame();
  if (running) end(running, error);
}
