import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostOptions, ListenOptions } from '@agenthost/host';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { launchBrowser } from '../support/browser/browser.js';
import { startTcpProxy, type TcpProxy } from '../support/tcpProxy.js';
import { startTestHost, type TestHost } from '../support/testHost.js';

export const PAGE_FOLDER = join(import.meta.dirname, '../../apps/web/dist');

/** Long enough for two busy cores; nothing waits for it that comes at all. */
export const PATIENCE = 30_000;

export interface PageHostOptions extends Partial<HostOptions> {
  readonly listen?: ListenOptions;
}

export interface VisitOptions extends BrowserContextOptions {
  /** What other people see beside what is done here. */
  readonly name?: string;
  /** After the address, e.g. `#session=…`. */
  readonly hash?: string;
  readonly token?: string;
  /** Another link than the printed one. */
  readonly address?: string;
  /** Whether the page may ask for the user's name. */
  readonly asksName?: boolean;
  readonly url?: URL;
}

/** A real browser and real hosts that serve the built page. Pages and hosts go after each test, the browser after the file. */
export function usePages() {
  let browser: Browser;
  const cleanups: (() => Promise<unknown>)[] = [];
  const failures: string[] = [];
  beforeAll(async () => {
    browser = await launchBrowser();
  }, 120_000);
  afterAll(() => browser?.close());
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
    // What the page did not catch is a bug whatever the test looked at.
    expect(failures.splice(0)).toEqual([]);
  });
  return {
    cleanups,
    get browser(): Browser {
      return browser;
    },
    /** A host with its page; the session's folder has two files. */
    async host({ listen, ...options }: PageHostOptions = {}): Promise<TestHost> {
      const { stateDir } = options;
      if (stateDir !== undefined) cleanups.push(() => rm(stateDir, { recursive: true, force: true }));
      const host = await startTestHost(options, { pageFolder: PAGE_FOLDER, ...listen });
      cleanups.push(() => host.dispose());
      await mkdir(join(host.stateDir, 'work'), { recursive: true });
      return host;
    },
    /** A host behind a network that can be cut. */
    async hostBehindProxy(options: PageHostOptions = {}): Promise<{ host: TestHost; proxy: TcpProxy }> {
      const proxy = await startTcpProxy();
      cleanups.push(() => proxy.close());
      const host = await this.host({ ...options, listen: { publicUrl: proxy.url, ...options.listen } });
      proxy.forwardTo(host.url);
      return { host, proxy };
    },
    /** A user with a separate browser opens the printed link. */
    async visit(
      host: Pick<TestHost, 'url' | 'token'>,
      { name, hash, token, url, address, asksName, ...context }: VisitOptions = {},
    ): Promise<Page> {
      const opened = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...context });
      cleanups.push(() => opened.close());
      opened.setDefaultTimeout(PATIENCE);
      await opened.addInitScript(
        (settings) => {
          // An empty page has no storage, and neither has the frame that draws diagrams.
          if (location.protocol !== 'about:' && self.origin !== 'null') localStorage['agenthost.settings'] ??= settings;
        },
        JSON.stringify({ userName: name ?? '', isNameAsked: !asksName }),
      );
      const page = await opened.newPage();
      page.on('pageerror', (error) => failures.push(String(error.stack ?? error)));
      page.on('console', (message) => {
        if (/Content Security Policy|unique "key"|Maximum update depth/.test(message.text()))
          failures.push(message.text());
      });
      const link = `${(url ?? host.url).origin}/#token=${token ?? host.token}${hash ? `&${hash}` : ''}`;
      await page.goto(address ?? link);
      await exchanged(page);
      return page;
    },
  };
}

/** Resolves when the page has a token of its own for the one in its link, or the host doesn't answer. */
async function exchanged(page: Page): Promise<void> {
  const isOver = () => !Object.keys(sessionStorage).some((key) => key.startsWith('agenthost.link '));
  await page.waitForFunction(isOver, undefined, { timeout: 5_000 }).catch(() => {});
}

/** A session of the mock agent (or another one), made by a program; answers its URI and its address in the page. */
export async function makeSession(
  host: TestHost,
  messages: readonly string[] = [],
  { provider = 'mock', folder, config }: { provider?: string; folder?: string; config?: Record<string, unknown> } = {},
): Promise<{ uri: string; hash: string }> {
  const client = await host.connect({ clientInfo: { name: 'Script' } });
  const session = await client.createSession({
    provider,
    ...(folder !== undefined && { workingDirectory: folder }),
    ...(config && { config }),
  });
  await session.ready();
  for (const [index, message] of messages.entries()) {
    await session.send(message);
    if (index < messages.length - 1) await ended(session);
  }
  const { uri } = session;
  client.close();
  return { uri, hash: hashOf(uri) };

  async function ended(one: typeof session): Promise<void> {
    await expect.poll(() => one.confirmed.value.activeTurn, { timeout: PATIENCE }).toBeUndefined();
  }
}

export function hashOf(uri: string, provider = 'agenthost-local'): string {
  return String(new URLSearchParams({ session: `${provider}:${uri}` }));
}

export async function seen(locator: Locator): Promise<void> {
  await locator.first().waitFor({ state: 'visible', timeout: PATIENCE });
}

export async function gone(locator: Locator): Promise<void> {
  await locator.first().waitFor({ state: 'hidden', timeout: PATIENCE });
}

/** Waits until what is read is this. */
export function eventually<T>(read: () => T | Promise<T>): ReturnType<typeof expect.poll<T | Promise<T>>> {
  return expect.poll(read, { timeout: PATIENCE, interval: 50 });
}

export function composer(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Message', exact: true });
}

export async function write(page: Page, text: string, keys = 'Enter'): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press(keys);
}

export function log(page: Page): Locator {
  return page.getByRole('log', { name: 'Conversation' });
}

export function row(page: Page, title: string | RegExp): Locator {
  return page.locator('.sidebar .row').filter({ hasText: title });
}

/** Nothing is wider than the window, but for what scrolls inside itself. */
export async function expectNoOverflow(page: Page, where: string): Promise<void> {
  const wide = await page.evaluate(() => {
    const scrolls = (element: Element | null): boolean =>
      element !== null &&
      (/auto|scroll|hidden|clip/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
    const beyond = [...document.querySelectorAll('body *')].filter((element) => {
      const box = element.getBoundingClientRect();
      return box.width > 0 && box.right > innerWidth + 1 && !scrolls(element.parentElement);
    });
    // These scroll up and down only.
    for (const pane of document.querySelectorAll('.first, .page, .list, .thread:not(.rv-b), dialog[open], .setp'))
      if (pane.scrollWidth > pane.clientWidth + 1) beyond.push(pane);
    return { page: document.documentElement.scrollWidth, beyond: beyond.map((it) => `${it.tagName}.${it.className}`) };
  });
  expect({ where, ...wide }).toEqual({ where, page: page.viewportSize()?.width, beyond: [] });
}
