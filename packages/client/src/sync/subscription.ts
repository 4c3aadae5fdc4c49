import type { ActionEnvelope, URI } from '@agenthost/protocol';
import type { Refusal } from '@agenthost/protocol/internal';
import { Emitter } from '@agenthost/rpc';
import { ObservableView, type ReportError } from '../observable.js';
import { WriteAhead } from './writeAhead.js';

export interface SubscriptionOptions<S, A> {
  readonly resource: URI;
  readonly clientId: string;
  readonly reducer: (state: S, action: A) => S;
  /** The state until the first snapshot. */
  readonly initial: S;
  /** Joins a new snapshot with the state before it. Default: the snapshot replaces the state. */
  readonly joinSnapshot?: (before: S, snapshot: S) => S;
  /** Called after the state changed: an own action came back, accepted or refused. */
  readonly onSettled: (clientSeq: number, answer: Partial<Refusal>) => void;
  /** Called when an envelope has become part of the state. */
  readonly onApplied: (serverSeq: number) => void;
  /** Called when more arrives than may wait for a snapshot; the connection has to be made again. */
  readonly onOverflow: () => void;
  readonly reportError: ReportError;
}

/** An envelope that has become part of the confirmed state. */
export interface AppliedEnvelope<S> {
  readonly envelope: ActionEnvelope;
  readonly before: S;
  /** The same reference as `before` where the action changed nothing. */
  readonly after: S;
}

/** Envelopes that may wait for the snapshot or the replay that goes before them. */
export const MAX_BUFFERED_ENVELOPES = 10_000;

/**
 * One resource in step with the host: every envelope applied once and in order, however snapshots, replays, duplicates
 * and the live stream cross each other.
 */
export class Subscription<S, A> {
  readonly resource: URI;
  readonly state: ObservableView<S>;
  readonly confirmed: ObservableView<S>;
  readonly applied: Emitter<AppliedEnvelope<S>>;
  readonly #options: SubscriptionOptions<S, A>;
  readonly #writeAhead: WriteAhead<S, A>;
  /** The live stream while the state that it continues isn't there yet. */
  #buffer: ActionEnvelope[] | undefined;
  #synced = false;
  #lastSeq = -1;

  constructor(options: SubscriptionOptions<S, A>) {
    const { resource, clientId, reducer, initial, reportError } = options;
    this.resource = resource;
    this.#options = options;
    this.#writeAhead = new WriteAhead({ clientId, reducer, confirmed: initial });
    this.state = new ObservableView(() => this.#writeAhead.optimistic, reportError);
    this.confirmed = new ObservableView(() => this.#writeAhead.confirmed, reportError);
    this.applied = new Emitter(reportError);
  }

  /** Whether there was a snapshot. */
  get synced(): boolean {
    return this.#synced;
  }

  get pendingCount(): number {
    return this.#writeAhead.pending.length;
  }

  predict(clientSeq: number, action: A): void {
    this.#writeAhead.predict(clientSeq, action);
    this.#check();
  }

  /** From the live stream. */
  receive(envelope: ActionEnvelope): void {
    if (this.#buffer === undefined || envelope.rejectionReason !== undefined) {
      this.#apply(envelope);
      this.#check();
    } else if (this.#buffer.length < MAX_BUFFERED_ENVELOPES) {
      this.#buffer.push(envelope);
    } else {
      this.#options.onOverflow();
    }
  }

  /** A snapshot or a replay was asked for: the live stream waits for it. What waited for an earlier one is void. */
  beginSync(): void {
    this.#buffer = [];
  }

  /** `isAnother`: another session has this URI now, so nothing of the earlier state is kept. */
  applySnapshot(snapshot: S, fromSeq: number, isAnother = false): void {
    const { joinSnapshot } = this.#options;
    const before = this.#writeAhead.confirmed;
    const joins = joinSnapshot !== undefined && this.#synced && !isAnother;
    this.#writeAhead.replaceConfirmed(joins ? joinSnapshot(before, snapshot) : snapshot);
    this.#synced = true;
    this.#lastSeq = fromSeq;
    this.endSync();
  }

  applyReplay(envelopes: readonly ActionEnvelope[]): void {
    for (const envelope of envelopes) this.#apply(envelope);
    this.endSync();
  }

  /** Continues the live stream from the current state. */
  endSync(): void {
    const waited = this.#buffer ?? [];
    this.#buffer = undefined;
    for (const envelope of waited) this.#apply(envelope);
    this.#check();
  }

  /** The action is settled without an envelope: the confirmed state has it, or it never will. */
  forget(clientSeq: number): void {
    this.#writeAhead.forget(clientSeq);
    this.#check();
  }

  /** For changes that only this client makes, such as how many old turns it holds. */
  updateConfirmed(update: (state: S) => S): void {
    this.#writeAhead.replaceConfirmed(update(this.#writeAhead.confirmed));
    this.#check();
  }

  #apply(envelope: ActionEnvelope): void {
    const { serverSeq, origin, rejectionReason, repeated } = envelope;
    if (repeated || (rejectionReason === undefined && serverSeq <= this.#lastSeq)) {
      // Contained in the state already, so all that an own echo can still do is to say that it was accepted.
      if (origin?.clientId !== this.#options.clientId) return;
      this.#writeAhead.forget(origin.clientSeq);
      this.#options.onSettled(origin.clientSeq, {});
      return;
    }
    const before = this.#writeAhead.confirmed;
    const settled = this.#writeAhead.receive({ action: envelope.action as A, origin, rejectionReason });
    if (rejectionReason === undefined) {
      this.#lastSeq = serverSeq;
      this.#options.onApplied(serverSeq);
      this.applied.fire({ envelope, before, after: this.#writeAhead.confirmed });
    }
    if (settled !== undefined) this.#options.onSettled(settled, envelope);
  }

  #check(): void {
    this.confirmed.check();
    this.state.check();
  }
}
