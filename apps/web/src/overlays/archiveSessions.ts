import type { Session, SessionsManagementService } from '@agenthost/sessions';
import type { Undos } from './undos.js';

/** Archives sessions, or brings archived ones back, and offers to undo it. */
export async function archiveSessions(
  management: SessionsManagementService,
  undos: Undos,
  sessions: readonly Session[],
): Promise<void> {
  const [first] = sessions;
  if (!first) return;
  const toggle = (session: Session) =>
    session.isArchived.value ? management.unarchiveSession(session) : management.archiveSession(session);
  const verb = first.isArchived.value ? 'Unarchived' : 'Archived';
  const what = sessions.length > 1 ? `${sessions.length} sessions` : `“${first.title.value || 'New session'}”`;
  await Promise.all(sessions.map(toggle));
  undos.offer({ text: `${verb} ${what}.`, undo: () => Promise.all(sessions.map(toggle)) });
}
