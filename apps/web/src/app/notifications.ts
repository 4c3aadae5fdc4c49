import { type Session, SessionStatus } from '@agenthost/sessions';
import { useEffect } from 'react';
import { visibleText } from '../text/visibleText.js';
import { goTo } from './route.js';
import { useServices } from './services.js';
import { useObservable } from './useObservable.js';

/** Whether the browser may show notifications; asks if it was never asked. */
export async function askForNotifications(): Promise<boolean> {
  if (!('Notification' in window)) return false;
  const allowed =
    Notification.permission === 'default' ? await Notification.requestPermission() : Notification.permission;
  return allowed === 'granted';
}

/**
 * The window's title and the app's icon count the sessions that wait. The page itself shows a notification while the user looks
 * elsewhere, unless the session's host pushes it to this device.
 */
export function useAttention(waiting: number): void {
  const { management, settings, push, hosts } = useServices();
  const { notifications } = useObservable(settings.value);
  const isPushed = useObservable(push.delivery).by === 'push';
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) Agent Sessions` : 'Agent Sessions';
    // Not every browser has it, and some refuse it for a page that is not installed.
    (waiting > 0 ? navigator.setAppBadge?.(waiting) : navigator.clearAppBadge?.())?.catch(() => {});
  }, [waiting]);
  useEffect(() => {
    if (notifications === 'off') return;
    const known = new Set(
      management
        .getSessions()
        .filter(needsInput)
        .map(({ sessionId }) => sessionId),
    );
    const following = management.onDidChangeSessions(({ added, changed, removed }) => {
      for (const { sessionId } of removed) known.delete(sessionId);
      for (const session of [...added, ...changed]) {
        if (!needsInput(session)) known.delete(session.sessionId);
        else if (!known.has(session.sessionId)) {
          known.add(session.sessionId);
          const comesAnyway = isPushed && hosts.byId(session.providerId)?.isOwn === true;
          if (document.visibilityState !== 'visible' && !comesAnyway) notify(session);
        }
      }
    });
    return () => following.dispose();
  }, [management, hosts, notifications, isPushed]);
}

function needsInput({ status }: Session): boolean {
  return status.value === SessionStatus.NeedsInput;
}

function notify(session: Session): void {
  const shown = new Notification(visibleText(session.title.value) || 'A session needs you', {
    body: visibleText(session.description.value ?? 'It waits for your answer.'),
    tag: session.sessionId,
  });
  shown.onclick = () => {
    window.focus();
    goTo({ view: 'session', sessionId: session.sessionId });
  };
}
