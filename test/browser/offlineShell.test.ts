import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startTcpProxy } from '../support/tcpProxy.js';
import { startTestHost, temporaryFolder } from '../support/testHost.js';
import { eventually, makeSession, PAGE_FOLDER, PATIENCE, row, seen, usePages } from './pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 5 * PATIENCE };

const isControlled = (page: Page) => eventually(() => page.evaluate(() => navigator.serviceWorker.controller !== null));

const keptPaths = (page: Page) =>
  page.evaluate(async () => {
    const names = await caches.keys();
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return { names, paths: requests.flat().map(({ url }) => new URL(url).pathname) };
  });

describe('the page without its host', () => {
  it('opens, and says that the host is away', SLOW, async () => {
    const { host, proxy } = await pages.hostBehindProxy();
    await makeSession(host, ['title Before']);
    const page = await pages.visit(host, { url: proxy.url });
    await seen(row(page, 'Before'));
    await isControlled(page).toBe(true);
    proxy.allow(false);
    proxy.cut();
    await page.reload();
    await seen(page.getByText(/isn't answering/));
    await seen(page.getByRole('heading', { name: /^Waiting for / }));
    // No list, no conversation: nothing of a session was kept.
    expect(await row(page, 'Before').count()).toBe(0);
    proxy.allow(true);
    await seen(row(page, 'Before'));
  });

  it('has kept its own files, and nothing else', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['title Secret words', 'hello']);
    const page = await pages.visit(host, { hash });
    await isControlled(page).toBe(true);
    await page.reload();
    await seen(page.getByRole('heading', { name: 'Secret words' }));
    const { names, paths } = await keptPaths(page);
    expect(names).toHaveLength(1);
    expect(paths).toContain('/');
    for (const path of paths)
      expect(path).toMatch(/^\/(?:assets\/[\w.-]+|favicon\.svg|manifest\.webmanifest|icons\/[\w.-]+)?$/);
  });
});

describe('an update of the page', () => {
  it('is shown with the next visit, and replaces what was kept', SLOW, async () => {
    const folder = join(await temporaryFolder(), 'page');
    await cp(PAGE_FOLDER, folder, { recursive: true });
    const proxy = await startTcpProxy();
    pages.cleanups.push(() => proxy.close());
    const start = async () => {
      const host = await startTestHost({}, { pageFolder: folder, publicUrl: proxy.url });
      proxy.forwardTo(host.url);
      return host;
    };
    const first = await start();
    const page = await pages.visit(first, { url: proxy.url });
    await isControlled(page).toBe(true);
    const before = await keptPaths(page);
    await first.dispose();

    // Another build: the document and the worker have changed.
    for (const name of ['index.html', 'sw.js']) {
      const text = await readFile(join(folder, name), 'utf8');
      const changed = text
        .replace('<title>Agent Sessions', '<title data-build="two">Agent Sessions')
        .replaceAll(/(["'`])([0-9a-f]{16})\1/g, '$1ffffffffffffffff$1');
      expect(changed).not.toBe(text);
      await writeFile(join(folder, name), changed);
      await writeFile(join(folder, `${name}.gz`), gzipSync(changed));
    }
    const second = await start();
    pages.cleanups.push(() => second.dispose());
    await page.reload();
    expect(await page.locator('title[data-build="two"]').count()).toBe(1);
    await eventually(async () => (await keptPaths(page)).names.length).toBe(2);
    expect((await keptPaths(page)).names).toEqual([...before.names, 'agenthost-shell-ffffffffffffffff']);
    const isSettled = () =>
      page.evaluate(async () => {
        const { installing, waiting, active } = await navigator.serviceWorker.ready;
        return installing === null && waiting === null && active?.state === 'activated';
      });
    await eventually(isSettled).toBe(true);
    proxy.allow(false);
    proxy.cut();
    await page.reload();
    expect(await page.locator('title[data-build="two"]').count()).toBe(1);
  });
});
