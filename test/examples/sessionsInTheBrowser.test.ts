import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../architecture/workspace.js';
import { launchBrowser } from '../support/browser/browser.js';
import { type StaticServer, serveFolder } from '../support/browser/staticServer.js';
import { startTestHost, temporaryFolder } from '../support/testHost.js';

interface Outcome {
  readonly session: string;
  readonly found: readonly string[];
  readonly turns: readonly (readonly [string, string])[];
}

describe('the example of sessions in the browser', { timeout: 120_000 }, () => {
  let folder: string;
  let browser: Browser;
  let pages: StaticServer;

  beforeAll(async () => {
    folder = await temporaryFolder();
    const root = join(ROOT, 'examples/09-sessionsInTheBrowser');
    await build({
      configFile: false,
      logLevel: 'error',
      root,
      build: { outDir: folder, emptyOutDir: true, target: 'esnext' },
    });
    pages = await serveFolder(folder);
    browser = await launchBrowser();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await pages?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** One visit, to a host that has never seen any session. */
  async function visit(context: Awaited<ReturnType<Browser['newContext']>>, allowedOrigins: readonly string[]) {
    const host = await startTestHost({}, { allowedOrigins });
    const page = await context.newPage();
    try {
      await page.goto(`${pages.origin}/#${new URLSearchParams({ url: host.url.href, token: host.token })}`);
      await page.waitForFunction(() => document.querySelector('output')?.textContent !== '', undefined, {
        timeout: 60_000,
      });
      return JSON.parse((await page.textContent('output')) ?? '') as Outcome & { readonly error?: string };
    } finally {
      await page.close();
      await host.dispose();
    }
  }

  it('a second host continues with what the first one left in OPFS', async () => {
    const context = await browser.newContext();
    const first = await visit(context, [pages.origin]);
    expect(first).toMatchObject({ found: [], turns: [['hello', 'complete']] });
    const second = await visit(context, [pages.origin]);
    expect(second).toEqual({
      session: first.session,
      found: [first.session],
      turns: [
        ['hello', 'complete'],
        ['hello', 'complete'],
      ],
    });
    await context.close();
  });

  it('a page of an unknown origin is refused', async () => {
    const context = await browser.newContext();
    expect(await visit(context, ['http://127.0.0.1:1'])).toMatchObject({ error: expect.stringContaining('host') });
    await context.close();
  });
});
