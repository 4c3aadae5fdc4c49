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
  const [code] = await bundledChunks(entry, { name, format: 'iife' });
  if (code === undefined) throw new Error('the bundler made no chunk');
  return code;
}

/** The entry's code first. */
export async function bundledChunks(
  entry: string,
  { name, format }: { readonly name: string; readonly format: 'iife' | 'es' },
): Promise<string[]> {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: false, target: 'es2022', lib: { entry, name, formats: [format] } },
  });
  const [output] = Array.isArray(result) ? result : [];
  const made = output && 'output' in output ? output.output : [];
  return made.flatMap((chunk) => (chunk.type === 'chunk' ? [chunk.code] : []));
}
