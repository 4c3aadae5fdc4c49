/** Translates our states into AHP's. Pure, and the only place that knows both. */
import type {
  AgentInfo,
  FileChangeSummary,
  RootState,
  SessionState,
  SessionStatus,
  SessionSummary,
  URI,
} from '@agenthost/protocol';
import { needsInput } from '@agenthost/protocol/internal';
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
} from '../types.js';
import { pendingMessageOf } from './messages.js';
import { sessionConfigOf } from './settings.js';
import { activeTurnOf, durationOf, isoTime, turnOf } from './turns.js';
import { changesetUri, chatUri } from './uris.js';

const ACTIVITY = { idle: 1, error: 2, inProgress: 8, inputNeeded: 24 } as const satisfies Readonly<
  Record<SessionStatus, number>
>;
const READ = 32;
const ARCHIVED = 64;

/** State of AHP clients that our host doesn't have. */
export interface LocalSession {
  readonly activeClients: readonly AhpActiveClient[];
  readonly draft?: unknown;
  /** What could be chosen when it was created, beside the settings. */
  readonly beganWith?: AhpConfig;
}

/** A session for one client. */
export interface SessionView extends LocalSession {
  /** The client's name for it. */
  readonly name: URI;
  readonly isReadOnly: boolean;
  /** Its further chats. */
  readonly chats?: readonly AhpChatSummary[];
}

export const EMPTY_CONFIG: AhpConfig = { schema: { type: 'object', properties: {} }, values: {} };

export function rootOf({ agents }: RootState, config: AhpConfig, activeSessions: number | undefined): AhpRoot {
  return { agents: agentsOf(agents), ...(activeSessions !== undefined && { activeSessions }), config };
}

/**
 * The agent's own choice of a model. VS Code sends nothing without a model, and chooses another one for a session that has none.
 * A message with this model counts as one without, unless the agent has a model of this name.
 */
export const NO_MODEL = { id: 'default', name: 'Default' } as const;

/** Only agents that can be used: AHP can't express one that is not installed. */
export function agentsOf(agents: readonly AgentInfo[]): readonly AhpAgent[] {
  return agents
    .filter(({ availability }) => availability.state === 'available')
    .map(({ provider, displayName, description, models }) => ({
      provider,
      displayName,
      description,
      // Each agent: a further chat is a session of our host.
      capabilities: { multipleChats: { fork: {} } },
      models: models.some(({ id }) => id === NO_MODEL.id) ? models : [{ ...NO_MODEL, provider }, ...models],
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
    // Also when there is none: an ended one is sent as empty.
    activity: activity ?? '',
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

/**
 * The activity of a session is not in its own status, but in that of its chat and in the list: no AHP action could change it
 * there, so it would be right only in a snapshot.
 */
export function sessionOf(state: SessionState, view: SessionView): AhpSession {
  const { summary, creationError } = state;
  const { resource, provider, title, activity, metadata } = summary;
  return {
    provider,
    title,
    status: statusOf({ ...summary, status: 'idle' }),
    ...(activity !== undefined && { activity }),
    ...foldersOf(summary.workingDirectory),
    lifecycle: state.lifecycle === 'creationFailed' ? 'failed' : state.lifecycle,
    ...(creationError && { creationError }),
    activeClients: view.activeClients,
    chats: [chatSummaryOf(state), ...(view.chats ?? [])].map((chat) => ({ ...chat, ...interactivityOf(view) })),
    defaultChat: chatUri(resource),
    changesets: [
      {
        label: 'Session Changes',
        uriTemplate: changesetUri(view.name),
        changeKind: 'session',
        capabilities: { review: {} },
      },
      { label: 'Turn Changes', uriTemplate: `${view.name}/changeset/turn/{turnId}`, changeKind: 'turn' },
    ],
    ...sessionConfigOf(state, view.beganWith),
    ...(metadata && { _meta: metadata }),
  };
}

/** Only the activity: the read mark is the session's. */
export function chatSummaryOf(state: SessionState): AhpChatSummary {
  const { resource, title, activity } = state.summary;
  return {
    resource: chatUri(resource),
    title,
    status: chatStatusOf(state),
    modifiedAt: isoTime(chatModifiedAt(state)),
    activity: activity ?? '',
  };
}

/** Of a further chat of a session, which the client may not have open. */
export function chatOfSummary({ title, status, modifiedAt, activity }: SessionSummary, resource: URI): AhpChatSummary {
  return { resource, title, status: ACTIVITY[status], modifiedAt: isoTime(modifiedAt), activity: activity ?? '' };
}

/** As clients derive it themselves, only from the turns. */
function chatStatusOf({ activeTurn, turns }: SessionState): number {
  if (activeTurn) return needsInput(activeTurn) ? ACTIVITY.inputNeeded : ACTIVITY.inProgress;
  return turns.at(-1)?.state === 'error' ? ACTIVITY.error : ACTIVITY.idle;
}

/** As clients derive it: they count only the start and the end of a turn. */
function chatModifiedAt({ activeTurn, turns, summary }: SessionState): number {
  const last = turns.at(-1);
  if (activeTurn) return activeTurn.startedAt;
  return last ? last.startedAt + durationOf(last.startedAt, last.endedAt) : summary.createdAt;
}

function interactivityOf({ isReadOnly }: SessionView): { readonly interactivity?: 'read-only' } {
  return isReadOnly ? { interactivity: 'read-only' } : {};
}

export function chatOf(state: SessionState, view: SessionView): AhpChat {
  const { activeTurn, steeringMessage, queuedMessages, turns } = state;
  const { activity: _, ...summary } = chatSummaryOf(state);
  const { activity } = state.summary;
  const { draft } = view;
  const cursor = cursorOf(state);
  return {
    ...summary,
    ...(activity !== undefined && { activity }),
    ...interactivityOf(view),
    turns: turns.map(turnOf),
    ...(activeTurn && { activeTurn: activeTurnOf(activeTurn) }),
    ...(cursor !== undefined && { turnsNextCursor: cursor }),
    ...(steeringMessage && { steeringMessage: pendingMessageOf(steeringMessage) }),
    ...(queuedMessages && { queuedMessages: queuedMessages.map(pendingMessageOf) }),
    ...(draft !== undefined && { draft }),
  };
}

/** Where `fetchTurns` continues: before the oldest loaded turn. */
export function cursorOf({ earlierTurns = 0, turns }: SessionState): string | undefined {
  return earlierTurns > 0 ? `before:${turns[0]?.id ?? ''}` : undefined;
}
