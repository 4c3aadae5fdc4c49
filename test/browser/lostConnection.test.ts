import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { TcpProxy } from '../support/tcpProxy.js';
import { startTestHost } from '../support/testHost.js';
import { composer, eventually, gone, log, makeSession, PATIENCE, seen, usePages, write } from './pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 5 * PATIENCE };

function lose(proxy: TcpProxy): void {
  proxy.allow(false);
  proxy.cut();
}

/** The turns that the host has, as another client sees them. */
async function messagesOn(host: Awaited<ReturnType<typeof startTestHost>>, uri: string): Promise<string[]> {
  const client = await host.connect();
  const session = await client.openSession(uri);
  const { turns, activeTurn, queuedMessages } = session.confirmed.value;
  client.close();
  const all = [...turns, ...(activeTurn ? [activeTurn] : []), ...(queuedMessages ?? [])];
  return all.map(({ userMessage }) => userMessage.text);
}

const kept = (page: Page) => page.getByText(/^Kept on this device\. It is sent once, when .+ is back\.$/);

/** An attempt of the page's own may be faster: then the button is gone, and the banner with it. */
async function tryNow(page: Page): Promise<void> {
  const pressed = page.getByRole('button', { name: 'Try now' }).click({ timeout: 2_000 });
  await pressed.catch(() => gone(page.getByText(/isn't answering/)));
}

describe('a lost connection', () => {
  it('is shown with a countdown, keeps sent messages, and delivers them once', SLOW, async () => {
    const { host, proxy } = await pages.hostBehindProxy();
    const { hash, uri } = await makeSession(host, ['hello']);
    const page = await pages.visit(host, { hash, url: proxy.url });
    await seen(log(page).getByText('Hello, world!'));
    lose(proxy);
    const banner = page.getByRole('status').filter({ hasText: "isn't answering." });
    await seen(banner);
    await eventually(() => banner.textContent()).toMatch(/Reconnecting (?:now|in \d+ s), attempt [2-9]\d*\./);
    expect(await banner.textContent()).toMatch(/You see the state of \d\d:\d\d:\d\d\./);
    await seen(page.locator('.host-row').getByText(/reconnecting (?:now|in \d+ s)/));
    await write(page, 'written while away');
    await seen(kept(page));
    expect(await page.locator('.msg.kept .bubble').evaluate((bubble) => getComputedStyle(bubble).borderStyle)).toBe(
      'dashed',
    );
    proxy.allow(true);
    await tryNow(page);
    await seen(log(page).getByText('You said: written while away'));
    await gone(kept(page));
    await gone(banner);
    expect(await messagesOn(host, uri)).toEqual(['hello', 'written while away']);
    expect(await page.evaluate(() => localStorage['agenthost.sessions.unsent'])).toBeUndefined();
  });

  it('loses nothing when the page is reloaded before the host received it', SLOW, async () => {
    const { host, proxy } = await pages.hostBehindProxy();
    const { hash, uri } = await makeSession(host, ['hello']);
    const page = await pages.visit(host, { hash, url: proxy.url });
    await seen(log(page).getByText('Hello, world!'));
    lose(proxy);
    await write(page, 'before the reload');
    await seen(kept(page));
    await composer(page).fill('a draft, not sent');
    proxy.allow(true);
    await page.reload();
    await seen(log(page).getByText('You said: before the reload'));
    expect(await composer(page).inputValue()).toBe('a draft, not sent');
    expect(await messagesOn(host, uri)).toEqual(['hello', 'before the reload']);
    await eventually(() => page.evaluate(() => localStorage['agenthost.sessions.unsent'])).toBeUndefined();
  });

  it('sends once what the host had accepted when its answer was lost and the page reloaded', SLOW, async () => {
    const { host, proxy } = await pages.hostBehindProxy();
    const { hash, uri } = await makeSession(host, ['hello']);
    const page = await pages.visit(host, { hash, url: proxy.url });
    await seen(log(page).getByText('Hello, world!'));
    proxy.swallowAnswers();
    await write(page, 'taken, not told');
    await eventually(() => messagesOn(host, uri)).toEqual(['hello', 'taken, not told']);
    proxy.cut();
    await page.reload();
    await seen(log(page).getByText('You said: taken, not told'));
    await eventually(() => page.evaluate(() => localStorage['agenthost.sessions.unsent'])).toBeUndefined();
    expect(await messagesOn(host, uri)).toEqual(['hello', 'taken, not told']);
  });

  it('sends from the list what was kept for a session that is not opened again', SLOW, async () => {
    const { host, proxy } = await pages.hostBehindProxy();
    const { hash, uri } = await makeSession(host, ['hello']);
    const page = await pages.visit(host, { hash, url: proxy.url });
    await seen(log(page).getByText('Hello, world!'));
    lose(proxy);
    await write(page, 'kept for later');
    await seen(kept(page));
    proxy.allow(true);
    await page.goto(`${proxy.url.origin}/#new`);
    await page.reload();
    await eventually(() => messagesOn(host, uri)).toEqual(['hello', 'kept for later']);
  });

  it('in the middle of a turn is survived, with a reload', SLOW, async () => {
    const { host, proxy } = await pages.hostBehindProxy();
    const { hash, uri } = await makeSession(host, ['steer']);
    const page = await pages.visit(host, { hash, url: proxy.url });
    await seen(log(page).getByText('Waiting to be steered.'));
    lose(proxy);
    await write(page, 'queued while away');
    await seen(page.getByRole('region', { name: 'Queue' }).getByText('queued while away'));
    proxy.allow(true);
    await page.reload();
    await seen(page.getByRole('region', { name: 'Queue' }).getByText('queued while away'));
    await eventually(() => messagesOn(host, uri)).toEqual(['steer', 'queued while away']);
    await write(page, 'go on', 'Control+Enter');
    await seen(log(page).getByText('Steered: go on'));
    await seen(log(page).getByText('You said: queued while away'));
    expect(await messagesOn(host, uri)).toEqual(['steer', 'queued while away']);
  });

  it('to a restarted host is restored', SLOW, async () => {
    const { host, proxy } = await pages.hostBehindProxy();
    const { hash } = await makeSession(host, ['hello']);
    const page = await pages.visit(host, { hash, url: proxy.url });
    await seen(log(page).getByText('Hello, world!'));
    await host.host.close();
    await seen(page.getByText(/isn't answering/));
    await write(page, 'for the next one');
    await seen(kept(page));
    const next = await startTestHost({ stateDir: host.stateDir }, { publicUrl: proxy.url });
    pages.cleanups.push(() => next.dispose());
    proxy.forwardTo(next.url);
    await tryNow(page);
    await seen(log(page).getByText('You said: for the next one'));
    await gone(kept(page));
  });

  it('keeps attachments of a draft over a reload', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['hello']);
    const page = await pages.visit(host, { hash });
    await seen(log(page).getByText('Hello, world!'));
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('abc') });
    await seen(page.getByRole('list', { name: 'Attachments' }).getByText('notes.txt'));
    await composer(page).fill('attachments');
    await page.reload();
    await seen(page.getByRole('list', { name: 'Attachments' }).getByText('notes.txt'));
    await composer(page).press('Enter');
    await seen(log(page).getByText(/notes\.txt: 3 ba7816bf/));
    await gone(page.getByRole('list', { name: 'Attachments' }));
  });
});
