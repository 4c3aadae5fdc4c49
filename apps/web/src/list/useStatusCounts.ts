import { type Session, SessionStatus, type SessionsManagementService } from '@agenthost/sessions';
import { useEffect, useState } from 'react';

export interface StatusCounts {
  readonly needsInput: number;
  readonly running: number;
}

/** How many sessions wait and work, updated by difference: one event doesn't count ten thousand rows. */
export function useStatusCounts(management: SessionsManagementService): StatusCounts {
  const [counts, setCounts] = useState<StatusCounts>({ needsInput: 0, running: 0 });
  useEffect(() => {
    const statuses = new Map<string, SessionStatus>();
    const put = (session: Session) => {
      const status = session.status.value;
      if (status === SessionStatus.NeedsInput || status === SessionStatus.InProgress)
        statuses.set(session.sessionId, status);
      else statuses.delete(session.sessionId);
    };
    const tell = () => {
      const all = [...statuses.values()];
      const needsInput = all.filter((status) => status === SessionStatus.NeedsInput).length;
      const next = { needsInput, running: all.length - needsInput };
      setCounts((before) => (before.needsInput === next.needsInput && before.running === next.running ? before : next));
    };
    management.getSessions().forEach(put);
    tell();
    const following = management.onDidChangeSessions(({ added, removed, changed }) => {
      added.forEach(put);
      changed.forEach(put);
      for (const { sessionId } of removed) statuses.delete(sessionId);
      tell();
    });
    return () => following.dispose();
  }, [management]);
  return counts;
}
