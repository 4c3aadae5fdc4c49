import { isSafeKey } from '../safeKey.js';
import { sameValue } from '../sameValue.js';
import type { TitleChangedAction } from '../types/clientActions.js';
import type { MetadataChangedAction } from '../types/hostActions.js';
import type { SessionSummaryChanges } from '../types/notifications.js';
import type { SessionState, SessionStatus, SessionSummary } from '../types/sessionState.js';
import type { ActiveTurn } from '../types/turns.js';

type SummaryChange = { readonly [K in keyof SessionSummary]?: SessionSummary[K] | undefined };

/** Changes fields of the summary; `undefined` removes one. Returns the same state when nothing differs. */
export function changeSummary(state: SessionState, change: SummaryChange): SessionState {
  const keys = Object.keys(change) as (keyof SessionSummary)[];
  if (keys.every((key) => sameValue(state.summary[key], change[key]))) return state;
  const summary: Record<string, unknown> = { ...state.summary, ...change };
  for (const key of keys) if (change[key] === undefined) delete summary[key];
  return { ...state, summary: summary as unknown as SessionSummary };
}

export function changeMetadata(state: SessionState, action: MetadataChangedAction): SessionState {
  const metadata: Record<string, unknown> = { ...state.summary.metadata };
  let changed = false;
  for (const [key, value] of Object.entries(action.metadata)) {
    if (!isSafeKey(key)) continue;
    if (value === null ? !Object.hasOwn(metadata, key) : sameValue(metadata[key], value)) continue;
    changed = true;
    if (value === null) delete metadata[key];
    else metadata[key] = value;
  }
  if (!changed) return state;
  return changeSummary(state, { metadata: Object.keys(metadata).length > 0 ? metadata : undefined });
}

/** Also marks whose title it is, even where it is the same as before. */
export function changeTitle(state: SessionState, { title, by }: TitleChangedAction): SessionState {
  const next = changeSummary(state, { title });
  const isByUser = by !== undefined && title !== '';
  if (isByUser === (state.titleByUser === true)) return next;
  const { titleByUser: _, ...rest } = next;
  return isByUser ? { ...rest, titleByUser: true } : rest;
}

/** The only place where a status comes from. */
export function deriveStatus(state: SessionState): SessionStatus {
  if (state.activeTurn) return needsInput(state.activeTurn) ? 'inputNeeded' : 'inProgress';
  if (state.lifecycle === 'creationFailed' || state.turns.at(-1)?.state === 'error') return 'error';
  return 'idle';
}

export function needsInput(turn: ActiveTurn): boolean {
  for (const _ in turn.pendingPermissions) return true;
  for (const id in turn.toolCalls) if (turn.toolCalls[id]?.status === 'pendingConfirmation') return true;
  return false;
}

/** Something came up that somebody should look at: it counts as news, and as unread. */
export function withNews(state: SessionState, at: number): SessionState {
  return changeSummary(state, { status: deriveStatus(state), modifiedAt: changedAt(state, at), isRead: false });
}

/** Never before the session was made: a fork begins with turns that are older than it. */
export function changedAt({ summary }: SessionState, at: number): number {
  return Math.max(at, summary.createdAt);
}

export function withDerivedStatus(state: SessionState): SessionState {
  return changeSummary(state, { status: deriveStatus(state) });
}

/** The summary after a change that the host announced; `null` removes a field. */
export function withSummaryChanges(summary: SessionSummary, changes: SessionSummaryChanges = {}): SessionSummary {
  const merged = Object.entries({ ...summary, ...changes }).filter(([, value]) => value !== null);
  return Object.fromEntries(merged) as unknown as SessionSummary;
}
