// The service worker of the page: keeps its files for when the host is away, shows what is pushed, and answers from notifications.
import { answerPush } from './answerPush.js';
import { keepShell } from './shell.js';
import { setBadge, showPush, tell } from './showPush.js';
import type { NotificationData, WorkerScope } from './workerScope.js';

const worker = globalThis as unknown as WorkerScope;
/** The page's name for the host that serves it. */
const OWN_HOST = 'agenthost-local';

keepShell(worker);

worker.addEventListener('push', (event) => event.waitUntil(showPush(worker, event.data?.text())));

worker.addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  const data = (notification.data ?? {}) as Partial<NotificationData>;
  notification.close();
  const isAnswer = action === 'allow' || action === 'deny';
  event.waitUntil(isAnswer ? answer(notification.tag, data, action === 'allow') : open(data.session));
});

async function answer(tag: string, { session, title = '', answer: how }: Partial<NotificationData>, approved: boolean) {
  if (session === undefined || !how) return open(session);
  const problem = await answerPush(worker.location.origin, session, how, approved);
  if (problem !== undefined) await tell(worker, tag, { session, title }, problem);
  await setBadge(worker);
}

/** In a page that is open, or in a new one. */
async function open(session: string | undefined): Promise<void> {
  const sessionId = session === undefined ? undefined : `${OWN_HOST}:${session}`;
  const [page] = (await worker.clients.matchAll({ type: 'window' })).toSorted(
    (a, b) => Number(b.visibilityState === 'visible') - Number(a.visibilityState === 'visible'),
  );
  await setBadge(worker);
  if (page) {
    page.postMessage({ type: 'openSession', sessionId });
    await page.focus();
  } else await worker.clients.openWindow(sessionId ? `/#${new URLSearchParams({ session: sessionId })}` : '/');
}
