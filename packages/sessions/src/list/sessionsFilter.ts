import type { Session, SessionStatus } from '../session.js';

export interface SessionsFilter {
  readonly statuses?: readonly SessionStatus[];
  /** Both kinds without it. */
  readonly isArchived?: boolean;
  readonly isRead?: boolean;
  readonly providerIds?: readonly string[];
  readonly sessionTypes?: readonly string[];
  /** Words that are all in the title, the workspace's label or the description; or what a full-text search has found. */
  readonly text?: string;
}

/** `found`: ids of sessions that a full-text search for the same text has found. */
export function fitsFilter(session: Session, filter: SessionsFilter, found: ReadonlySet<string>): boolean {
  const { statuses, isArchived, isRead, providerIds, sessionTypes } = filter;
  if (statuses && !statuses.includes(session.status.value)) return false;
  if (isArchived !== undefined && session.isArchived.value !== isArchived) return false;
  if (isRead !== undefined && session.isRead.value !== isRead) return false;
  if (providerIds && !providerIds.includes(session.providerId)) return false;
  if (sessionTypes && !sessionTypes.includes(session.sessionType)) return false;
  return found.has(session.sessionId) || hasWords(session, filter.text ?? '');
}

function hasWords(session: Session, text: string): boolean {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const searched = [session.title.value, session.workspace.value?.label, session.description.value];
  const all = searched.join('\n').toLocaleLowerCase();
  return words.every((word) => all.includes(word));
}
