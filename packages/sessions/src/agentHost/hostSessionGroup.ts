import type { Observable } from '@agenthost/client';
import { type SessionSummary, type Several, severalOf } from '@agenthost/protocol';
import { dateOf, sameValue } from '@agenthost/protocol/internal';
import { computed, observable, type SettableObservable, sameDate, sameItems } from '../observable.js';
import {
  type Chat,
  type GitHubInfo,
  type IconId,
  type Session,
  type SessionFileChange,
  type SessionMode,
  SessionStatus,
  type SessionWorkspace,
  type URI,
} from '../session.js';
import { sessionOfChats } from '../sessionOfChats.js';
import { gitHubInfoOf, workspaceOfMetadata } from '../workspace/workspaceOfMetadata.js';

export interface HostIdentity {
  readonly providerId: string;
  /** What a host that is not this machine is called; part of its workspaces' labels. */
  readonly remoteName: string | undefined;
  readonly supportsMultipleChats: (provider: string) => boolean;
  readonly icon: (provider: string) => IconId;
}

/** Sessions of the host that share `metadata.group`, which is the URI of the first of them: one session with several chats. */
export class HostSessionGroup {
  readonly key: string;
  readonly session: Session;
  readonly #identity: HostIdentity;
  readonly #chats = observable<readonly HostChat[]>([]);

  constructor(key: string, first: SessionSummary, identity: HostIdentity) {
    this.key = key;
    this.#identity = identity;
    this.put(first);
    const { providerId } = identity;
    const main = (): HostChat => this.#chats.value[0] as HostChat;
    this.session = sessionOfChats({
      providerId,
      localId: key,
      resource: chatResource(providerId, key),
      sessionType: first.provider,
      get icon() {
        return identity.icon(first.provider);
      },
      // Of whichever is the main chat then: an older one may be listed later.
      get createdAt() {
        return main().createdAt;
      },
      capabilities: {
        get supportsMultipleChats() {
          return identity.supportsMultipleChats(first.provider);
        },
      },
      chats: this.#chats,
      loading: computed(() => main().isLoading),
      workspace: computed(() => workspaceOfSummary(main().summary, identity.remoteName), sameValue),
      several: computed((): Several | undefined => severalOf(main().summary), sameValue),
      gitHubInfo: computed((): GitHubInfo | undefined => gitHubInfoOf(main().summary.metadata), sameValue),
    });
  }

  get chats(): readonly HostChat[] {
    return this.#chats.value;
  }

  find(uri: URI): HostChat | undefined {
    return this.#chats.value.find(({ summary }) => summary.resource === uri);
  }

  put(summary: SessionSummary): void {
    const known = this.find(summary.resource);
    if (known) {
      known.summary = summary;
      return;
    }
    const chat = new HostChat(chatResource(this.#identity.providerId, summary.resource), summary);
    this.#chats.set([...this.#chats.value, chat].toSorted((a, b) => this.#compare(a.summary, b.summary)));
  }

  /** How many are left. Of the last one the session still shows what it was. */
  remove(uri: URI): number {
    const left = this.#chats.value.filter(({ summary }) => summary.resource !== uri);
    if (left.length > 0 && !sameItems(left, this.#chats.value)) this.#chats.set(left);
    return left.length;
  }

  #compare(a: SessionSummary, b: SessionSummary): number {
    if (a.resource === this.key) return -1;
    if (b.resource === this.key) return 1;
    return a.createdAt - b.createdAt || (a.resource < b.resource ? -1 : 1);
  }
}

/** Unique over all hosts, and a URI: two hosts may have sessions with the same one. */
export function chatResource(providerId: string, uri: URI): URI {
  return `${providerId}:${uri}`;
}

export function groupKeyOf({ resource, metadata }: SessionSummary): string {
  const group = metadata?.['group'];
  return typeof group === 'string' && group !== '' ? group : resource;
}

export function workspaceOfSummary(
  { metadata, workingDirectory }: Pick<SessionSummary, 'metadata' | 'workingDirectory'>,
  remoteName: string | undefined,
): SessionWorkspace | undefined {
  // A session that says on which machines it lives keeps that, whichever host tells of it.
  const known = remoteName === undefined ? metadata : { remoteAgentHost: remoteName, ...metadata };
  return workspaceOfMetadata({ metadata: known, workingDirectory });
}

const STATUS = {
  inProgress: SessionStatus.InProgress,
  inputNeeded: SessionStatus.NeedsInput,
  error: SessionStatus.Error,
} as const;

const NO_CHANGES: readonly SessionFileChange[] = [];
/** Modes are the agent's own. */
const MODE_KIND = 'agent';

/** A session of the host, which is one chat here, by its summary alone: nothing is subscribed for it. */
export class HostChat implements Chat {
  readonly resource: URI;
  readonly createdAt: Date;
  readonly #summary: SettableObservable<SessionSummary>;
  readonly #opening = observable(0);
  #wasOpened = false;
  #fields: Partial<Record<keyof Chat, Observable<unknown>>> = {};

  constructor(resource: URI, summary: SessionSummary) {
    this.resource = resource;
    this.createdAt = dateOf(summary.createdAt);
    this.#summary = observable(summary);
  }

  get summary(): SessionSummary {
    return this.#summary.value;
  }

  set summary(summary: SessionSummary) {
    this.#summary.set(summary);
  }

  get title(): Observable<string> {
    return this.#field('title', ({ title }) => title);
  }

  get updatedAt(): Observable<Date> {
    return this.#field('updatedAt', ({ modifiedAt }) => dateOf(modifiedAt), sameDate);
  }

  get status(): Observable<SessionStatus> {
    return this.#field('status', statusOf);
  }

  get changes(): Observable<readonly SessionFileChange[]> {
    return this.#field('changes', ({ changes }) => changes ?? NO_CHANGES);
  }

  get modelId(): Observable<string | undefined> {
    return this.#field('modelId', ({ model }) => model);
  }

  get mode(): Observable<SessionMode | undefined> {
    return this.#field('mode', ({ mode }) => mode && { kind: MODE_KIND, ...mode }, sameValue);
  }

  get isArchived(): Observable<boolean> {
    return this.#field('isArchived', ({ isArchived }) => isArchived);
  }

  get isRead(): Observable<boolean> {
    return this.#field('isRead', ({ isRead }) => isRead);
  }

  get description(): Observable<string | undefined> {
    return this.#field('description', ({ activity }) => activity);
  }

  get lastTurnEnd(): Observable<Date | undefined> {
    return this.#field(
      'lastTurnEnd',
      ({ lastTurnEndedAt }) => (lastTurnEndedAt === undefined ? undefined : dateOf(lastTurnEndedAt)),
      sameDate,
    );
  }

  /** Its agent is being started, or its conversation is being opened for the first time. */
  get isLoading(): boolean {
    return this.summary.isCreating === true || this.#opening.value > 0;
  }

  /** The conversation is being opened until the promise has settled. Later openings do not count as loading. */
  openedWith(opening: Promise<unknown>): void {
    const isFirst = !this.#wasOpened;
    if (isFirst) this.#opening.set(this.#opening.value + 1);
    const settled = () => {
      if (isFirst) this.#opening.set(this.#opening.value - 1);
    };
    // The chat model reports the failure; here it only ends the loading state.
    opening.then(() => {
      this.#wasOpened = true;
      settled();
    }, settled);
  }

  #field<T>(key: keyof Chat, select: (summary: SessionSummary) => T, same?: (a: T, b: T) => boolean): Observable<T> {
    const field = this.#fields[key] ?? computed(() => select(this.summary), same);
    this.#fields[key] = field;
    return field as Observable<T>;
  }
}

/** Idle since it was made: nothing was sent yet. */
function statusOf(summary: SessionSummary): SessionStatus {
  const { status } = summary;
  if (status !== 'idle') return STATUS[status];
  return hasNews(summary) ? SessionStatus.Completed : SessionStatus.Untitled;
}

/** Not equal rather than later: the turns of a fork are older than the fork. */
function hasNews({ modifiedAt, createdAt, lastTurnEndedAt }: SessionSummary): boolean {
  return lastTurnEndedAt !== undefined || modifiedAt !== createdAt;
}
