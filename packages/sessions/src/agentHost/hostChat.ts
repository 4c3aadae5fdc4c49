import type { Observable } from '@agenthost/client';
import type { SessionSummary } from '@agenthost/protocol';
import { dateOf, sameValue } from '@agenthost/protocol/internal';
import { computed, observable, type SettableObservable, sameDate } from '../observable.js';
import { type Chat, type SessionFileChange, type SessionMode, SessionStatus, type URI } from '../session.js';

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
