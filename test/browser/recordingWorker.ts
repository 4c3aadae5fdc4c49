import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';

/** What a user would see. */
export interface ShownNotification {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly actions: readonly string[];
}

/**
 * Copies the built page with a worker that records notifications and the badge: a headless browser shows neither. All else is the real
 * worker. The records are in a cache, because the browser may end and restart a worker at any time.
 */
export async function copyWithRecordingWorker(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true });
  const path = join(to, 'sw.js');
  const text = `(${record})();\n${await readFile(path, 'utf8')}`;
  await writeFile(path, text);
  await writeFile(`${path}.gz`, gzipSync(text));
}

function record(): void {
  interface Recorded extends NotificationOptions {
    readonly title: string;
  }
  interface ClickWish extends ExtendableMessage {
    readonly data: { readonly type: string; readonly tag: string; readonly action: string };
  }
  interface ExtendableMessage extends MessageEvent {
    waitUntil(work: Promise<unknown>): void;
  }
  const scope = globalThis as unknown as { readonly registration: ServiceWorkerRegistration } & EventTarget;
  const records = () => caches.open('test-notifications');
  const pathOf = (tag: string) => `/test/${encodeURIComponent(tag)}`;
  const withClose = (shown: Recorded) => ({
    ...shown,
    // Removes it in the background, as the real one does.
    close: () => void records().then((cache) => cache.delete(pathOf(shown.tag ?? ''))),
  });
  const all = async () => {
    const cache = await records();
    const answers = await Promise.all((await cache.keys()).map((key) => cache.match(key)));
    return Promise.all(answers.map(async (answer) => withClose(await answer?.json())));
  };
  Object.assign(Object.getPrototypeOf(scope.registration), {
    showNotification: async (title: string, options: NotificationOptions) =>
      (await records()).put(pathOf(options.tag ?? ''), new Response(JSON.stringify({ title, ...options }))),
    getNotifications: async ({ tag }: { tag?: string } = {}) =>
      (await all()).filter((shown) => tag === undefined || shown.tag === tag),
  });
  // The headless browser kills the process of a worker that sets one.
  const badge = async (count: number) => (await caches.open('test-badge')).put('/badge', new Response(String(count)));
  Object.assign(Object.getPrototypeOf(navigator), { setAppBadge: badge, clearAppBadge: () => badge(0) });
  // A press on a notification or on one of its buttons: the event is made here, what handles it is real.
  scope.addEventListener('message', (message) => {
    const { data, ports, waitUntil } = message as ClickWish;
    if (data.type !== 'test-press') return;
    const press = async () => {
      const work: Promise<unknown>[] = [];
      const notification = (await all()).find(({ tag }) => tag === data.tag);
      const { action } = data;
      const event = Object.assign(new Event('notificationclick'), {
        notification,
        action,
        waitUntil: (one: Promise<unknown>) => work.push(one),
      });
      scope.dispatchEvent(event);
      const settled = await Promise.allSettled(work);
      ports[0]?.postMessage(settled.map(({ status }) => status));
    };
    waitUntil.call(message, press());
  });
}

export function shownIn(page: Page): Promise<readonly ShownNotification[]> {
  return page.evaluate(async () => {
    const cache = await caches.open('test-notifications');
    const answers = await Promise.all((await cache.keys()).map((key) => cache.match(key)));
    const shown = await Promise.all(answers.map((answer) => answer?.json()));
    return shown.map(({ title, body = '', tag, actions = [] }) => ({
      title,
      body,
      tag,
      actions: actions.map((action: { readonly title: string }) => action.title),
    }));
  });
}

/** The number on the app's icon, as the worker has set it. */
export function badgeIn(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const set = await (await caches.open('test-badge')).match('/badge');
    return Number((await set?.text()) ?? 0);
  });
}

/** Resolves when the worker has done what follows. */
export async function press(page: Page, tag: string, action = ''): Promise<void> {
  await page.evaluate(
    async (wish) => {
      const { active } = await navigator.serviceWorker.ready;
      const channel = new MessageChannel();
      const done = new Promise((resolve) => {
        channel.port1.onmessage = resolve;
      });
      active?.postMessage(wish, [channel.port2]);
      await done;
    },
    { type: 'test-press', tag, action },
  );
}
