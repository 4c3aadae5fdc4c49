import type { Role, SessionState } from '@agenthost/protocol';
import type { ChatModel } from '@agenthost/sessions';
import { useEffect, useState } from 'react';
import { permissionError } from '../../app/permissionError.js';

/**
 * New events count as read while the user looks. Only events: a session that is marked unread stays so until there is news, or
 * it is opened again.
 */
export function useSeen(model: ChatModel, state: SessionState | undefined, role: Role): void {
  const visible = useVisible();
  const newsAt = state?.summary.modifiedAt;
  // biome-ignore lint/correctness/useExhaustiveDependencies: not when it becomes unread
  useEffect(() => {
    const may = permissionError(role, 'session/isReadChanged') === undefined;
    if (may && visible && state && !state.summary.isRead) model.markRead(true).catch(() => undefined);
  }, [model, newsAt, visible, role]);
}

function useVisible(): boolean {
  const [visible, setVisible] = useState(document.visibilityState === 'visible');
  useEffect(() => {
    const changed = () => setVisible(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', changed);
    return () => document.removeEventListener('visibilitychange', changed);
  }, []);
  return visible;
}
