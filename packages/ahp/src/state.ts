/** Our states as AHP's: pure, and the only place that knows both. */
import {
  type AgentInfo,
  type FileChangeSummary,
  needsInput,
  type RootState,
  type SessionState,
  type SessionStatus,
  type SessionSummary,
  type URI,
} from '@agenthost/protocol';
import { pendingMessageOf } from './messages.js';
import { activeTurnOf, isoTime, turnOf } from './turns.js';
import type {
  AhpActiveClient,
  AhpAgent,
  AhpChangeCounts,
  AhpChat,
  AhpChatSummary,
  AhpConfig,
  AhpRoot,
  AhpSession,
  AhpSessionSummary,
} from './types.js';
import { changesetUri, chatUri } from './uris.js';

const ACTIVITY = { idle: 1, error: 2, inProgress: 8, inputNeeded: 24 } as const satisfies Readonly<
  Record<SessionStatus, number>
>;
const READ = 32;
const ARCHIVED = 64;

/** What AHP clients have put there, which our host knows nothing of. */
export interface LocalSession {
  readonly activeClients: readonly AhpActiveClient[];
  readonly draft?: unknown;
}

export const EMPTY_CONFIG: AhpConfig = { schema: { type: 'object', properties: {} }, values: {} };

export function rootOf({ agents }: RootState, config: AhpConfig, activeSessions: number | undefined): AhpRoot {
  return { agents: agentsOf(agents), ...(activeSessions !== undefined && { activeSessions }), config };
}

/** VS Code sends nothing to an agent without a model. A message that names this one is taken as if it named none. */
const NO_MODEL = { id: 'default', name: 'Default' } as const;

/** Only those that can be used: AHP has no word for one that is not installed. */
export function agentsOf(agents: readonly AgentInfo[]): readonly AhpAgent[] {
  return agents
    .filter(({ availability }) => availability.state === 'available')
    .map(({ provider, displayName, description, models }) => ({
      provider,
      displayName,
      description,
      models: models.length > 0 ? models : [{ ...NO_MODEL, provider }],
    }));
}

export function statusOf({
  status,
  isRead,
  isArchived,
}: Pick<SessionSummary, 'status' | 'isRead' | 'isArchived'>): number {
  return ACTIVITY[status] | (isRead ? READ : 0) | (isArchived ? ARCHIVED : 0);
}

export function summaryOf(summary: SessionSummary): AhpSessionSummary {
  const { resource, provider, title, createdAt, modifiedAt, activity, metadata, changes } = summary;
  return {
    resource,
    provider,
    title,
    status: statusOf(summary),
    createdAt: isoTime(createdAt),
    modifiedAt: isoTime(modifiedAt),
    ...(activity !== undefined && { activity }),
    ...foldersOf(summary.workingDirectory),
    ...(changes && { changes: changeCountsOf(changes) }),
    ...(metadata && { _meta: metadata }),
  };
}

export function changeCountsOf(changes: readonly FileChangeSummary[]): AhpChangeCounts {
  return {
    additions: changes.reduce((sum, { insertions }) => sum + insertions, 0),
    deletions: changes.reduce((sum, { deletions }) => sum + deletions, 0),
    files: changes.length,
  };
}

export function foldersOf(folder: URI | undefined) {
  return folder === undefined ? {} : { workingDirectories: [folder], workingDirectory: folder };
}

export function sessionOf(state: SessionState, local: LocalSession): AhpSession {
  const { summary, creationError } = state;
  const { resource, provider, title, activity, metadata } = summary;
  return {
    provider,
    title,
    status: statusOf(summary),
    ...(activity !== undefined && { activity }),
    ...foldersOf(summary.workingDirectory),
    lifecycle: state.lifecycle === 'creationFailed' ? 'failed' : state.lifecycle,
    ...(creationError && { creationError }),
    activeClients: local.activeClients,
    chats: [chatSummaryOf(state)],
    defaultChat: chatUri(resource),
    changesets: [
      { label: 'Session Changes', uriTemplate: changesetUri(resource), changeKind: 'session' },
      { label: 'Turn Changes', uriTemplate: `${resource}/changeset/turn/{turnId}`, changeKind: 'turn' },
    ],
    ...(metadata && { _meta: metadata }),
  };
}

/** Only what goes on: whether it was read is the session's. */
export function chatSummaryOf(state: SessionState): AhpChatSummary {
  const { resource, title, modifiedAt, activity } = state.summary;
  return {
    resource: chatUri(resource),
    title,
    status: chatStatusOf(state),
    modifiedAt: isoTime(modifiedAt),
    ...(activity !== undefined && { activity }),
  };
}

/** As clients derive it themselves, from the turns alone. */
function chatStatusOf({ activeTurn, turns }: SessionState): number {
  if (activeTurn) return needsInput(activeTurn) ? ACTIVITY.inputNeeded : ACTIVITY.inProgress;
  return turns.at(-1)?.state === 'error' ? ACTIVITY.error : ACTIVITY.idle;
}

export function chatOf(state: SessionState, { draft }: LocalSession): AhpChat {
  const { activeTurn, steeringMessage, queuedMessages, turns } = state;
  const session = state.summary.resource;
  const cursor = cursorOf(state);
  return {
    ...chatSummaryOf(state),
    turns: turns.map((turn) => turnOf(turn, session)),
    ...(activeTurn && { activeTurn: activeTurnOf(activeTurn, session) }),
    ...(cursor !== undefined && { turnsNextCursor: cursor }),
    ...(steeringMessage && { steeringMessage: pendingMessageOf(steeringMessage) }),
    ...(queuedMessages && { queuedMessages: queuedMessages.map(pendingMessageOf) }),
    ...(draft !== undefined && { draft }),
  };
}

/** Where `fetchTurns` goes on: before the oldest turn that is there. */
export function cursorOf({ earlierTurns = 0, turns }: SessionState): string | undefined {
  return earlierTurns > 0 ? `before:${turns[0]?.id ?? ''}` : undefined;
}
