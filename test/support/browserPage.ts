import { type Context, createContext } from 'node:vm';
import { build } from 'vite';

const BROWSER_GLOBALS = [
  'AbortController',
  'AbortSignal',
  'CloseEvent',
  'DOMException',
  'Event',
  'EventTarget',
  'MessageEvent',
  'TextDecoder',
  'TextEncoder',
  'URL',
  'clearInterval',
  'clearTimeout',
  'console',
  'crypto',
  'performance',
  'queueMicrotask',
  'setInterval',
  'setTimeout',
] as const;

/** What a page of that origin has, and nothing of Node. */
export function browserPage(origin: string): Context {
  const globals = Object.fromEntries(BROWSER_GLOBALS.map((name) => [name, Reflect.get(globalThis, name)]));
  return createContext({ ...globals, WebSocket: browserSocket(origin) });
}

/** Node's WebSocket, with the one header that a browser adds by itself and a page can't. */
function browserSocket(origin: string) {
  return class extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, { protocols, headers: { origin } } as unknown as string[]);
    }
  };
}

/** As one script that sets the variable `name`. */
export async function bundled(entry: string, name: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: false, target: 'es2022', lib: { entry, name, formats: ['iife'] } },
  });
  const [output] = Array.isArray(result) ? result : [];
  const chunk = output && 'output' in output ? output.output[0] : undefined;
  if (chunk?.type !== 'chunk') throw new Error('the bundler made no chunk');
  return chunk.code;
}
