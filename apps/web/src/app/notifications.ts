import { type Session, SessionStatus, type SessionsManagementService } from '@agenthost/sessions';
import { useEffect } from 'react';
import { visibleText } from '../text/visibleText.js';
import { goTo } from './route.js';

/** Whether the browser may show notifications; asks if it was never asked. */
export async function askForNotifications(): Promise<boolean> {
  if (!('Notification' in window)) return false;
  const allowed =
    Notification.permission === 'default' ? await Notification.requestPermission() : Notification.permission;
  return allowed === 'granted';
}

/** The window's title counts open questions; a notification is shown while the user looks elsewhere. */
export function useAttention(management: SessionsManagementService, waiting: number, notifications: boolean): void {
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) Agent Sessions` : 'Agent Sessions';
  }, [waiting]);
  useEffect(() => {
    if (!notifications) return;
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
          if (document.visibilityState !== 'visible') notify(session);
        }
      }
    });
    return () => following.dispose();
  }, [management, notifications]);
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
