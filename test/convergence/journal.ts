import {
  ActionRejectedError,
  ClientClosedError,
  CommandFailedError,
  ConnectionLostError,
  ReplacedError,
  SessionGoneError,
  SessionRemadeError,
} from '@agenthost/client';
import { ERROR_CODE, type SessionSummary, type URI } from '@agenthost/protocol';
import { HICCUP } from '../support/storage/flakyStorage.js';

/** What a client was told. `unknown`: the outcome is unknown; the host may have done it or not. */
export type Outcome =
  | { readonly state: 'waiting' }
  | { readonly state: 'accepted' }
  | { readonly state: 'refused'; readonly reason: string }
  | { readonly state: 'unknown'; readonly error: Error };

export interface Operation {
  readonly kind: string;
  readonly clientId: string;
  readonly session: URI;
  /** Of a message: the mark in its text. Of an edit or a taking back: the mark of the message that it is about. */
  readonly mark?: string | undefined;
  /** Undefined when the action is dispatched later, or not at all. */
  readonly clientSeq?: number | undefined;
  /** What the client expects of the summary until it hears more. */
  readonly predicts?: Partial<Pick<SessionSummary, 'title' | 'isArchived' | 'model'>> | undefined;
  outcome: Outcome;
}

/** Everything that clients asked for, and what became of it as far as they know. */
export class Journal {
  readonly operations: Operation[] = [];
  /** `clientId#clientSeq` of actions that the host may have got twice on one connection: once refused, then perhaps not. */
  readonly duplicated = new Set<string>();
  /** What went wrong while the run was still going on. */
  readonly violations: string[] = [];
  readonly #trace: string[] = [];
  readonly #settling = new Set<Promise<void>>();

  note(line: string): void {
    this.#trace.push(line);
  }

  get trace(): string {
    return this.#trace.join('\n');
  }

  add(operation: Omit<Operation, 'outcome'>, promise: Promise<unknown>): Operation {
    const added: Operation = { ...operation, outcome: { state: 'waiting' } };
    this.operations.push(added);
    this.note(`  ${describe(added)}`);
    const settling = promise
      .then(
        () => {
          added.outcome = { state: 'accepted' };
        },
        (error: unknown) => {
          added.outcome = this.#failed(added, error);
        },
      )
      .then(() => {
        this.#settling.delete(settling);
        this.note(`  ${describe(added)}`);
      });
    this.#settling.add(settling);
    return added;
  }

  get waiting(): readonly Operation[] {
    return this.operations.filter(({ outcome }) => outcome.state === 'waiting');
  }

  /** Whether a client asked to have the session removed, and was not refused. */
  mayBeRemoved(session: URI): boolean {
    return this.operations.some(
      (one) => one.kind === 'remove' && one.session === session && one.outcome.state !== 'refused',
    );
  }

  /** Whether a client asked to have it created under a used URI, and was not refused. */
  mayBeRemade(session: URI): boolean {
    return this.operations.some(
      (one) => one.kind === 'recreate' && one.session === session && one.outcome.state !== 'refused',
    );
  }

  async allSettled(): Promise<void> {
    while (this.#settling.size > 0) await Promise.all(this.#settling);
  }

  #failed(operation: Operation, error: unknown): Outcome {
    if (error instanceof ActionRejectedError) return { state: 'refused', reason: error.reason };
    if (error instanceof CommandFailedError && error.message.includes(UNDECIDED)) return { state: 'unknown', error };
    if (error instanceof CommandFailedError && isRefusal(error)) return { state: 'refused', reason: error.message };
    if (
      error instanceof ClientClosedError ||
      error instanceof ReplacedError ||
      error instanceof ConnectionLostError ||
      error instanceof SessionGoneError ||
      error instanceof SessionRemadeError
    ) {
      return { state: 'unknown', error };
    }
    this.violations.push(`${describe(operation)} failed in a way that it must not: ${String(error)}`);
    return { state: 'unknown', error: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** Told when the link to the host that should have done it was cut. */
const UNDECIDED = 'it may have been done or not';

const REFUSALS: readonly number[] = [
  ERROR_CODE.sessionNotFound,
  ERROR_CODE.sessionAlreadyExists,
  ERROR_CODE.tooManyRequests,
];

/** Nothing was done: there is no such session, there is one already, it can't be reached now, or its files could not be read. */
function isRefusal({ code, message }: CommandFailedError): boolean {
  return REFUSALS.includes(code) || message.includes(HICCUP);
}

export function describe({ kind, clientId, session, mark, clientSeq, outcome }: Operation): string {
  const told =
    outcome.state === 'refused'
      ? `refused: ${outcome.reason}`
      : outcome.state === 'unknown'
        ? `unknown: ${outcome.error.name}`
        : outcome.state;
  return `${clientId}#${clientSeq ?? '-'} ${kind} ${mark ?? ''} in ${session}: ${told}`;
}

/** The first mark in a text is that of the message; an edit adds its own. */
export function markOf(text: string): string | undefined {
  return /\bm\d+\b/.exec(text)?.[0];
}
