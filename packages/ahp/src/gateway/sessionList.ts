import type { HostClient, HostEvent } from '@agenthost/client';
import { listInStep } from '@agenthost/client/internal';
import type { SessionSummary, SessionSummaryChanges, URI } from '@agenthost/protocol';
import { dropOldest, withSummaryChanges } from '@agenthost/protocol/internal';
import { LateResult } from '@agenthost/rpc';
import { furtherChatUri } from '../translate/chatNames.js';
import { patchFolders } from '../translate/downlevel.js';
import { changeCountsOf, chatOfSummary, foldersOf, statusOf, summaryOf } from '../translate/state.js';
import { isoTime } from '../translate/turns.js';
import { AHP_ROOT, type AhpAction, type AhpChatSummary, type AhpSessionSummary } from '../types.js';
import type { VersionTraits } from '../versions.js';
import { firstOf } from './chatGroups.js';
import type { SessionNames } from './sessionNames.js';

interface SessionListOptions {
  readonly host: HostClient;
  readonly traits: VersionTraits;
  readonly names: SessionNames;
  readonly tell: (method: string, params: object) => void;
  /** A further chat of this session came, changed or is gone. */
  readonly onChat: (first: URI, action: AhpAction) => void;
  /** How many more there are. */
  readonly onCount: (more: number) => void;
  readonly onRemoved: (session: URI) => void;
}

/** The host's sessions for the list of one AHP client. */
export class SessionList {
  /** Sessions of this client without a message: the host hides them. They are removed with the client. */
  readonly made = new Set<URI>();
  readonly statuses = new KnownStatuses();
  /** Further chats that the client was told of. */
  readonly #chats = new Map<URI, SessionSummary>();
  readonly #options: SessionListOptions;

  constructor(options: SessionListOptions) {
    this.#options = options;
  }

  /** One page. */
  async page(params: { readonly limit?: number; readonly cursor?: string }) {
    const take = await listInStep(this.#options.host, params);
    return new LateResult(() => {
      const { items, nextCursor } = take();
      for (const item of items) this.statuses.learn(item);
      return { items: items.map((item) => this.#listed(item)), ...(nextCursor !== undefined && { nextCursor }) };
    });
  }

  /** The session that this one is a further chat of. */
  firstOf(chat: URI): URI | undefined {
    const summary = this.#chats.get(chat);
    return summary && firstOf(summary);
  }

  /** The client made it itself; others are told with its first message. */
  chatMade(summary: SessionSummary): void {
    this.#learnChat(summary);
  }

  /** The further chats of a session that the client was told of, the oldest first. */
  chatsOf(first: URI): AhpChatSummary[] {
    const chats = [...this.#chats.values()].filter((summary) => firstOf(summary) === first);
    return chats
      .toSorted((a, b) => a.createdAt - b.createdAt)
      .flatMap((summary) => this.#chatOf(summary, first) ?? [])
      .slice(0, MAX_CHATS);
  }

  #chatOf(summary: SessionSummary, first: URI): AhpChatSummary | undefined {
    const name = furtherChatUri(summary.resource, this.#options.names.nameOf(first));
    return name === undefined ? undefined : chatOfSummary(summary, name);
  }

  #learnChat(summary: SessionSummary, isNew = true): void {
    const first = firstOf(summary);
    if (first === undefined) return;
    const before = this.#chats.get(summary.resource);
    this.#chats.delete(summary.resource);
    this.#chats.set(summary.resource, summary);
    dropOldest(this.#chats, MAX_KNOWN_CHATS);
    const chat = this.#chatOf(summary, first);
    if (!chat || !isNew) return;
    const { resource, ...changes } = chat;
    const action: AhpAction = before
      ? { type: 'session/chatUpdated', chat: resource, changes }
      : { type: 'session/chatAdded', summary: chat };
    this.#options.onChat(first, action);
  }

  #forgetChat(uri: URI): void {
    const summary = this.#chats.get(uri);
    const first = summary && firstOf(summary);
    const name = first === undefined ? undefined : furtherChatUri(uri, this.#options.names.nameOf(first));
    this.#chats.delete(uri);
    if (first !== undefined && name !== undefined) {
      this.#options.onChat(first, { type: 'session/chatRemoved', chat: name });
    }
  }

  hostEvent(event: HostEvent): void {
    if (event.type === 'notify/sessionAdded') this.#added(event.summary);
    else if (event.type === 'notify/sessionRemoved') this.#removed(event.session);
    else if (event.type === 'notify/sessionSummaryChanged') this.#changed(event.session, event.changes);
  }

  #listed(summary: SessionSummary): AhpSessionSummary {
    const { names, traits } = this.#options;
    this.statuses.learn(summary);
    names.learn(summary.resource);
    this.#learnChat(summary, false);
    return { ...patchFolders(summaryOf(summary), traits), resource: names.nameOf(summary.resource) };
  }

  #added(summary: SessionSummary): void {
    this.made.delete(summary.resource);
    this.#learnChat(summary);
    this.#options.tell('root/sessionAdded', { channel: AHP_ROOT, summary: this.#listed(summary) });
    this.#options.onCount(1);
  }

  #changed(uri: URI, changes: SessionSummaryChanges): void {
    const status = this.statuses.change(uri, changes);
    const chat = this.#chats.get(uri);
    if (chat) this.#learnChat(withSummaryChanges(chat, changes));
    const told = patchFolders(summaryChangesOf(changes, status), this.#options.traits);
    if (Object.keys(told).length === 0) return;
    const session = this.#options.names.nameOf(uri);
    this.#options.tell('root/sessionSummaryChanged', { channel: AHP_ROOT, session, changes: told });
  }

  #removed(uri: URI): void {
    const session = this.#options.names.nameOf(uri);
    const wasHidden = this.made.delete(uri);
    this.statuses.forget(uri);
    this.#forgetChat(uri);
    this.#options.onRemoved(uri);
    if (wasHidden) return;
    this.#options.tell('root/sessionRemoved', { channel: AHP_ROOT, session });
    this.#options.onCount(-1);
  }
}

type Flags = Pick<SessionSummary, 'status' | 'isRead' | 'isArchived'>;

const MAX_KNOWN_CHATS = 5_000;
/** In one session, as a person can still tell them apart. */
const MAX_CHATS = 200;

/** As many as a person looks at; for others, changes of the status are not sent. */
const MAX_KNOWN = 10_000;

/** AHP has one number for three of our fields, of which a notification has only those that changed. */
class KnownStatuses {
  readonly #flags = new Map<URI, Flags>();

  learn({ resource, status, isRead, isArchived }: Pick<SessionSummary, 'resource' | keyof Flags>): void {
    this.#flags.delete(resource);
    this.#flags.set(resource, { status, isRead, isArchived });
    dropOldest(this.#flags, MAX_KNOWN);
  }

  forget(resource: URI): void {
    this.#flags.delete(resource);
  }

  /** The number after the change, if it changed and is known. */
  change(resource: URI, changes: Partial<Flags>): number | undefined {
    const { status, isRead, isArchived } = changes;
    if (status === undefined && isRead === undefined && isArchived === undefined) return undefined;
    const known = this.#flags.get(resource);
    if (!known) return undefined;
    const now = {
      status: status ?? known.status,
      isRead: isRead ?? known.isRead,
      isArchived: isArchived ?? known.isArchived,
    };
    this.learn({ resource, ...now });
    return statusOf(now);
  }
}

/** A removed value becomes empty: an absent field means that it did not change. */
function summaryChangesOf(changes: SessionSummaryChanges, status: number | undefined): Record<string, unknown> {
  const { title, modifiedAt, activity, workingDirectory, metadata, changes: files } = changes;
  return {
    ...(title !== undefined && { title }),
    ...(modifiedAt !== undefined && { modifiedAt: isoTime(modifiedAt) }),
    ...(status !== undefined && { status }),
    ...(activity !== undefined && { activity: activity ?? '' }),
    ...(workingDirectory !== undefined && foldersOf(workingDirectory ?? undefined)),
    ...(metadata !== undefined && { _meta: metadata ?? {} }),
    ...(files !== undefined && { changes: changeCountsOf(files ?? []) }),
  };
}
