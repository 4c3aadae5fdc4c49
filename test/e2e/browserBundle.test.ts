import { createContext, runInContext } from 'node:vm';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../architecture/workspace.js';
import { startTestHost, type TestHost } from '../support/testHost.js';

// The page's own tests use a real browser; this one proves early and cheaply that the SDK's bundle needs nothing of Node.

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

describe('the SDK bundled for a browser', () => {
  let host: TestHost;
  let bundle: string;

  beforeAll(async () => {
    host = await startTestHost();
    bundle = await bundled(`${ROOT}/packages/client/dist/index.js`);
  });
  afterAll(() => host.dispose());

  it('imports nothing', () => {
    expect(bundle).not.toMatch(/\bfrom\s*['"]|\brequire\(|['"]node:/);
  });

  it('has the schemas in a file of its own, which only a client that keeps files loads', async () => {
    const [first, ...later] = await chunks(`${ROOT}/packages/client/dist/index.js`, 'es');
    expect(first).not.toMatch(/ZodType|zod/i);
    expect(later.join()).toMatch(/ZodType/);
  });

  it('runs a turn with nothing but what browsers have', async () => {
    const globals = Object.fromEntries(BROWSER_GLOBALS.map((name) => [name, Reflect.get(globalThis, name)]));
    const page = createContext({ ...globals, WebSocket: browserSocket(host.url.origin) });
    runInContext(`${bundle}; globalThis.sdk = sdk;`, page);
    const answer: unknown = await runInContext(
      `(async () => {
        const host = await sdk.connect({ url: ${JSON.stringify(host.url.href)}, token: ${JSON.stringify(host.token)} });
        const session = await host.createSession({ provider: 'mock' });
        await session.ready();
        await session.send('hello');
        while (session.confirmed.value.turns.length === 0) {
          await new Promise((resolve) => { const s = session.confirmed.subscribe(() => { s.dispose(); resolve(); }); });
        }
        const text = session.confirmed.value.turns[0].responseParts[0].content;
        host.close();
        return text;
      })()`,
      page,
    );
    expect(answer).toBe('Hello, world!');
  });
});

/** Node's WebSocket, with the one header that a browser adds by itself and a page can't. */
function browserSocket(origin: string) {
  return class extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, { protocols, headers: { origin } } as unknown as string[]);
    }
  };
}

async function bundled(entry: string): Promise<string> {
  const [code] = await chunks(entry, 'iife');
  if (code === undefined) throw new Error('the bundler made no chunk');
  return code;
}

/** The entry's code first. */
async function chunks(entry: string, format: 'iife' | 'es'): Promise<string[]> {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: false, target: 'es2022', lib: { entry, name: 'sdk', formats: [format] } },
  });
  const [output] = Array.isArray(result) ? result : [];
  const made = output && 'output' in output ? output.output : [];
  return made.flatMap((chunk) => (chunk.type === 'chunk' ? [chunk.code] : []));
}
