import { parseSessionId } from '@agenthost/sessions';
import { useEffect } from 'react';
import { workerRegistration } from '../push/workerRegistration.js';
import type { PageHost } from './pagePlace.js';
import { goTo } from './route.js';
import { useServices } from './services.js';
import { useObservable } from './useObservable.js';

/** Tells the hosts what the user sees, so that this device is not called for it, and removes notifications of it. */
export function useLook(chat: string | undefined): void {
  const { hosts, push } = useServices();
  const all = useObservable(hosts.all);
  const delivery = useObservable(push.delivery);
  const subscription = delivery.by === 'push' ? delivery.subscription : undefined;
  useEffect(() => {
    const seen = partsOf(chat);
    const tell = (host: PageHost) => {
      if (host.connection.value.state !== 'connected') return;
      const isSeen = document.visibilityState === 'visible' && seen?.providerId === host.id;
      // An older host does not know the command.
      host.push.lookAt(isSeen ? seen.localId : undefined, host.isOwn ? subscription : undefined).catch(() => {});
      if (isSeen && host.isOwn) void closeNotifications(seen.localId);
    };
    const tellAll = () => all.forEach(tell);
    const following = all.map((host) => host.connection.subscribe(() => tell(host)));
    tellAll();
    document.addEventListener('visibilitychange', tellAll);
    return () => {
      for (const one of following) one.dispose();
      document.removeEventListener('visibilitychange', tellAll);
    };
  }, [all, chat, subscription]);
}

/** A click on a notification opens its session here. */
export function useOpenedNotifications(): void {
  useEffect(() => {
    const worker: ServiceWorkerContainer | undefined = navigator.serviceWorker;
    const open = ({ data }: MessageEvent) => {
      const { type, sessionId } = (data ?? {}) as { type?: unknown; sessionId?: unknown };
      if (type === 'openSession' && typeof sessionId === 'string') goTo({ view: 'session', sessionId });
    };
    worker?.addEventListener('message', open);
    return () => worker?.removeEventListener('message', open);
  }, []);
}

async function closeNotifications(session: string): Promise<void> {
  const registration = await workerRegistration();
  for (const shown of (await registration?.getNotifications?.()) ?? [])
    if ((shown.data as { readonly session?: unknown } | null)?.session === session) shown.close();
}

function partsOf(chat: string | undefined): ReturnType<typeof parseSessionId> | undefined {
  try {
    return chat === undefined ? undefined : parseSessionId(chat);
  } catch {
    return undefined;
  }
}
