import { runInContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT, withoutDocs } from '../../architecture/workspace.js';
import { browserPage, bundled, bundledChunks } from '../../support/browser/browserPage.js';
import { startTestHost, type TestHost } from '../../support/testHost.js';

// The page's own tests use a real browser; this one proves early and cheaply that the SDK's bundle needs nothing of Node.

describe('the SDK bundled for a browser', () => {
  let host: TestHost;
  let bundle: string;

  beforeAll(async () => {
    host = await startTestHost();
    bundle = await bundled(`${ROOT}/packages/client/dist/index.js`, 'sdk');
  });
  afterAll(() => host.dispose());

  it('imports nothing', () => {
    expect(withoutDocs(bundle)).not.toMatch(/\bfrom\s*['"]|\brequire\(|['"]node:/);
  });

  it('has the schemas in a separate file, which only a client that keeps files loads', async () => {
    const [first, ...later] = await bundledChunks(`${ROOT}/packages/client/dist/index.js`, {
      name: 'sdk',
      format: 'es',
    });
    expect(first).not.toMatch(/ZodType|zod/i);
    expect(later.join()).toMatch(/ZodType/);
  });

  it('runs a turn with only what browsers have', async () => {
    const page = browserPage(host.url.origin);
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
