import type { Observable } from '@agenthost/client';
import { dateOf, type SessionSummary } from '@agenthost/protocol';
import { computed, constant, observable, sameDate } from '../observable.js';
import { type Chat, type SessionFileChange, type SessionMode, SessionStatus, type URI } from '../session.js';

const STATUS = {
  inProgress: SessionStatus.InProgress,
  inputNeeded: SessionStatus.NeedsInput,
  error: SessionStatus.Error,
} as const;

const NO_CHANGES: readonly SessionFileChange[] = [];
const NO_MODE = constant<SessionMode | undefined>(undefined);

/** A session of the host, which is one chat here, as far as its summary tells: nothing is subscribed for it. */
export class HostChat implements Chat {
  readonly resource: URI;
  readonly createdAt: Date;
  readonly mode = NO_MODE;
  readonly #state;
  #fields: Partial<Record<keyof Chat, Observable<unknown>>> = {};

  constructor(resource: URI, summary: SessionSummary) {
    this.resource = resource;
    this.createdAt = dateOf(summary.createdAt);
    this.#state = observable({ summary, turnEnd: lastTurnEnd(summary, undefined) });
  }

  get summary(): SessionSummary {
    return this.#state.value.summary;
  }

  set summary(summary: SessionSummary) {
    this.#state.set({ summary, turnEnd: lastTurnEnd(summary, this.#state.value.turnEnd) });
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
      () => {
        const { turnEnd } = this.#state.value;
        return turnEnd === undefined ? undefined : dateOf(turnEnd);
      },
      sameDate,
    );
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

/**
 * A summary does not say it, but what an idle session was last changed by is the end of its last turn. While a turn runs it
 * is what was known before.
 */
function lastTurnEnd(summary: SessionSummary, before: number | undefined): number | undefined {
  const isAtRest = summary.status === 'idle' || summary.status === 'error';
  return isAtRest && hasNews(summary) ? summary.modifiedAt : before;
}

/** Not equal rather than later: the turns of a fork are older than the fork. */
function hasNews({ modifiedAt, createdAt }: SessionSummary): boolean {
  return modifiedAt !== createdAt;
}
