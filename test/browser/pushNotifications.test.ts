import { rm } from 'node:fs/promises';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { PushService, type ServedDevice } from '../support/push/pushService.js';
import { QUICK } from '../support/push/pushWorld.js';
import { type TestHost, temporaryFolder } from '../support/testHost.js';
import { eventually, log, makeSession, PAGE_FOLDER, PATIENCE, row, seen, usePages } from './pageWorld.js';
import { badgeIn, copyWithRecordingWorker, press, shownIn } from './recordingWorker.js';

const pages = usePages();
const SLOW = { timeout: 5 * PATIENCE };

/** A browser whose push service is the one of the test: a headless browser reaches none. */
async function visit(host: TestHost, options: Parameters<typeof pages.visit>[1] & { readonly device: ServedDevice }) {
  const { device, ...others } = options;
  const page = await pages.visit(host, { ...others, hash: '' });
  const context = page.context();
  await context.addInitScript(
    ({ endpoint, keys }) => {
      let key: ArrayBuffer | null = null;
      let isSubscribed = false;
      const subscription = {
        endpoint,
        get options() {
          return { applicationServerKey: key };
        },
        toJSON: () => ({ endpoint, keys }),
        unsubscribe: async () => {
          isSubscribed = false;
          return true;
        },
      };
      Object.assign(PushManager.prototype, {
        getSubscription: async () => (isSubscribed ? subscription : null),
        subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) => {
          const text = atob(applicationServerKey.replaceAll('-', '+').replaceAll('_', '/'));
          key = Uint8Array.from(text, (character) => character.charCodeAt(0)).buffer;
          isSubscribed = true;
          return subscription;
        },
      });
      Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
    },
    { endpoint: device.endpoint, keys: device.keys },
  );
  await eventually(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  await page.reload();
  if (options.hash) await page.goto(`${host.url.origin}/#${options.hash}`);
  return { page, push: await deliverer(context, page, host) };
}

/** Hands over what arrived as a push service does, through the browser. */
async function deliverer(context: BrowserContext, page: Page, host: TestHost) {
  const session: CDPSession = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations;
      if (first) resolve(first.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  const registrationId = await registered;
  return (message: object) =>
    session.send('ServiceWorker.deliverPushMessage', {
      origin: host.url.origin,
      registrationId,
      data: JSON.stringify(message),
    });
}

async function turnOn(page: Page, label: string): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click();
  const settings = page.getByRole('group', { name: 'Notifications on this device' });
  await settings.getByRole('button', { name: label, exact: true }).click();
  await seen(page.getByText(/Sent to this device also while the page is closed/));
  await page.keyboard.press('Escape');
}

async function start() {
  const service = await PushService.start();
  pages.cleanups.push(() => service.close());
  const folder = await temporaryFolder();
  pages.cleanups.push(() => rm(folder, { recursive: true, force: true }));
  await copyWithRecordingWorker(PAGE_FOLDER, folder);
  const host = await pages.host({ push: QUICK, listen: { pageFolder: folder } });
  return { service, host, device: service.device() };
}

const question = (device: ServedDevice, n = 0) =>
  eventually(() => device.arrived.filter(({ message }) => message.kind === 'question')[n]?.message).toBeDefined();

describe('a notification', () => {
  it('shows what is asked, and its button answers', SLOW, async () => {
    const { service, host, device } = await start();
    const { page, push } = await visit(host, { device, name: 'Mira' });
    await turnOn(page, 'Needs input');
    await makeSession(host, ['title Fix the build', 'confirm-tool']);
    await question(device);
    const message = device.arrived[0]?.message;
    await push(message ?? {});
    await eventually(() => shownIn(page)).toHaveLength(1);
    const [shown] = await shownIn(page);
    expect(shown).toEqual({
      title: 'Fix the build',
      body: 'Run?\nmake',
      tag: message?.tag,
      actions: ['Allow', 'Deny'],
    });
    await eventually(() => badgeIn(page)).toBe(1);
    await press(page, shown?.tag ?? '', 'allow');
    expect(await shownIn(page)).toEqual([]);
    await eventually(() => badgeIn(page)).toBe(0);
    await row(page, 'Fix the build').click();
    await seen(log(page).getByText('Done.', { exact: true }));
    await seen(log(page).getByText(/Allowed once by/));
    expect(service.problems).toEqual([]);
  });

  it('of a question that somebody else answered says by whom, and goes when the host says so', SLOW, async () => {
    const { host, device } = await start();
    const { page, push } = await visit(host, { device, name: 'Mira' });
    await turnOn(page, 'Needs input');
    const { uri } = await makeSession(host, ['title Race', 'confirm-tool']);
    await question(device);
    const asked = device.arrived[0]?.message;
    await push(asked ?? {});
    await eventually(() => shownIn(page)).toHaveLength(1);
    const ben = await host.connect({ clientInfo: { name: 'Ben' } });
    const session = await ben.openSession(uri);
    await session.pendingConfirmations.value[0]?.deny();
    await press(page, asked?.tag ?? '', 'allow');
    expect((await shownIn(page)).map(({ body }) => body)).toEqual(['Ben has answered already.']);

    await session.send('confirm-tool');
    await question(device, 1);
    const next = device.arrived.filter(({ message }) => message.kind === 'question')[1]?.message;
    await push(next ?? {});
    await eventually(async () => (await shownIn(page)).some(({ tag }) => tag === next?.tag)).toBe(true);
    await session.pendingConfirmations.value[0]?.approve();
    const closed = () => device.arrived.find(({ message: { kind, tag } }) => kind === 'closed' && tag === next?.tag);
    await eventually(() => closed() !== undefined).toBe(true);
    await push(closed()?.message ?? {});
    await eventually(async () => (await shownIn(page)).some(({ tag }) => tag === next?.tag)).toBe(false);
  });

  it('does not come for the session in view, and comes when the page is hidden', SLOW, async () => {
    const { host, device } = await start();
    const { uri, hash } = await makeSession(host, ['title In view']);
    const { page } = await visit(host, { device, hash });
    await turnOn(page, 'Needs input');
    const ben = await host.connect({ clientInfo: { name: 'Ben' } });
    const session = await ben.openSession(uri);
    await ben.push.lookAt(undefined);
    await session.send('confirm-tool');
    await page.getByRole('button', { name: 'Allow once' }).click();
    await seen(log(page).getByText('Done.', { exact: true }));
    await page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { get: () => 'hidden', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await session.send('confirm-tool');
    await question(device);
    expect(device.arrived.filter(({ message }) => message.kind === 'question')).toHaveLength(1);
  });

  it('opens its session in the page that is there', SLOW, async () => {
    const { host, device } = await start();
    const { page, push } = await visit(host, { device });
    await turnOn(page, 'Needs input and finished');
    await makeSession(host, ['title Elsewhere', 'hello']);
    await eventually(() => device.arrived.find(({ message }) => message.kind === 'finished')).toBeDefined();
    await push(device.arrived.find(({ message }) => message.kind === 'finished')?.message ?? {});
    await eventually(() => shownIn(page)).toHaveLength(1);
    const [shown] = await shownIn(page);
    expect(shown).toMatchObject({ title: 'Elsewhere', body: 'Hello, world!', actions: [] });
    await press(page, shown?.tag ?? '');
    await seen(page.getByRole('heading', { name: 'Elsewhere' }));
  });
});

describe('the settings', () => {
  it('end the subscription of this device, and keep nothing of it', SLOW, async () => {
    const { host, device } = await start();
    const { page } = await visit(host, { device });
    await turnOn(page, 'Needs input');
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Off', exact: true }).click();
    await seen(page.getByText('This device is told nothing while the page is closed.'));
    await makeSession(host, ['title Quiet', 'confirm-tool']);
    await seen(row(page, 'Quiet'));
    expect(device.requests).toBe(0);
    const kept = await page.evaluate(async () => {
      const opening = indexedDB.open('agenthost.push', 1);
      await new Promise((resolve) => (opening.onsuccess = resolve));
      const reading = opening.result.transaction('device').objectStore('device').getAll();
      await new Promise((resolve) => (reading.onsuccess = resolve));
      return reading.result;
    });
    expect(kept).toEqual([]);
  });
});
