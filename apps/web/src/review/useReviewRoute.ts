import type { Session } from '@agenthost/sessions';
import { useRef } from 'react';
import { goTo } from '../app/route.js';

/** Opens the review of a chat, and goes back to where the user was. */
export function useReviewRoute(session: Session, chat: string, isReviewing: boolean) {
  const begin = useRef<{ readonly focus: Element | null } | undefined>(undefined);
  const { sessionId } = session;
  const route = {
    view: 'session' as const,
    sessionId,
    ...(chat !== session.mainChat.resource && { chat }),
  };
  const open = () => {
    begin.current = { focus: document.activeElement };
    goTo({ ...route, review: true });
  };
  const close = () => {
    const opened = begin.current;
    begin.current = undefined;
    if (opened) history.back();
    else goTo(route, { replace: true });
    const back = opened?.focus instanceof HTMLElement && opened.focus !== document.body ? opened.focus : undefined;
    requestAnimationFrame(() =>
      requestAnimationFrame(() => (back ?? document.querySelector<HTMLElement>('.thread'))?.focus()),
    );
  };
  if (!isReviewing) return { open, close };
  return { open: close, close };
}
