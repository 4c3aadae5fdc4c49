import type { PushedClosure, PushedEnd, PushedQuestion } from '@agenthost/protocol/internal';
import { readPush } from './readPush.js';
import type { NotificationData, WorkerScope } from './workerScope.js';

interface ShownOptions extends NotificationOptions {
  readonly actions?: readonly { readonly action: string; readonly title: string }[];
  readonly renotify?: boolean;
}

const ICON = '/icons/icon-192.png';
const NO_TITLE = 'Agent Sessions';

/** Shows what was pushed. Browsers want to see a notification for each message. */
export async function showPush(worker: WorkerScope, text: string | undefined): Promise<void> {
  const message = readPush(text);
  if (!message) await show(worker, NO_TITLE, { body: 'Something happened in a session.', tag: 'unknown' });
  else if (message.kind === 'question') await showQuestion(worker, message);
  else if (message.kind === 'finished') await showEnd(worker, message);
  else await close(worker, message);
  await setBadge(worker);
}

async function showQuestion(worker: WorkerScope, { tag, session, title, text, answer }: PushedQuestion): Promise<void> {
  const actions = [
    ...(answer?.allow ? [{ action: 'allow', title: 'Allow' }] : []),
    ...(answer?.deny ? [{ action: 'deny', title: 'Deny' }] : []),
  ];
  const data: NotificationData = { kind: 'question', session, title, answer };
  await show(worker, title || NO_TITLE, { body: text, tag, data, actions, requireInteraction: true, renotify: true });
}

/** A turn that ended has no open question: those of its session go. */
async function showEnd(worker: WorkerScope, { tag, session, title, text }: PushedEnd): Promise<void> {
  for (const shown of await questionsOf(worker, session)) shown.close();
  const data: NotificationData = { kind: 'finished', session, title };
  await show(worker, title || NO_TITLE, { body: text, tag, data });
}

/**
 * The question was answered elsewhere. Where a browser punishes a push that shows nothing, as Safari does, the notification is
 * replaced by one that says so; those browsers have no buttons on notifications, which is how they are told apart.
 */
async function close(worker: WorkerScope, { tag, session, title, by }: PushedClosure): Promise<void> {
  const shown = await worker.registration.getNotifications({ tag });
  for (const notification of shown) notification.close();
  const { maxActions = 0 } = Notification as { readonly maxActions?: number };
  if (maxActions > 0) return;
  await tell(worker, tag, { session, title }, by === undefined ? 'This is answered.' : `${by} has answered.`);
}

/** A quiet notification in the place of another. */
export async function tell(
  worker: WorkerScope,
  tag: string,
  { session, title }: { readonly session?: string | undefined; readonly title: string },
  body: string,
): Promise<void> {
  const data: NotificationData = { kind: 'told', session, title };
  await show(worker, title || NO_TITLE, { body, tag, data, silent: true });
}

/** The icon shows how many sessions wait; a page that is open counts all of them. */
export async function setBadge(worker: WorkerScope): Promise<void> {
  const sessions = new Set((await questionsOf(worker)).map(({ data }) => (data as NotificationData).session));
  await (sessions.size > 0 ? navigator.setAppBadge?.(sessions.size) : navigator.clearAppBadge?.())?.catch(() => {});
}

async function questionsOf(worker: WorkerScope, session?: string): Promise<readonly Notification[]> {
  const shown = await worker.registration.getNotifications();
  return shown.filter(({ data }) => {
    const about = data as NotificationData | undefined;
    return about?.kind === 'question' && (session === undefined || about.session === session);
  });
}

async function show(worker: WorkerScope, title: string, options: ShownOptions): Promise<void> {
  await worker.registration.showNotification(title, { icon: ICON, badge: ICON, ...options });
}
