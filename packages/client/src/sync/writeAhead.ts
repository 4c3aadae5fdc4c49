import type { ActionOrigin } from '@agenthost/protocol';

export interface PendingAction<A> {
  readonly clientSeq: number;
  /** As this client predicts it: the host's will have another time and another author. */
  readonly action: A;
}

/** The part of an envelope that concerns one resource. The caller keeps the order. */
export interface OrderedAction<A> {
  readonly action: A;
  readonly origin?: ActionOrigin | undefined;
  readonly rejectionReason?: string | undefined;
}

export interface WriteAheadOptions<S, A> {
  readonly clientId: string;
  readonly reducer: (state: S, action: A) => S;
  readonly confirmed: S;
}

/**
 * The state of one resource as the host confirmed it, and as it will be when the host accepts what this client has sent.
 * Echoes are matched by their origin, never by their place: one that is not the head of `pending` is found too.
 */
export class WriteAhead<S, A> {
  readonly #clientId: string;
  readonly #reducer: (state: S, action: A) => S;
  #confirmed: S;
  #pending: readonly PendingAction<A>[] = [];
  #optimistic: { readonly state: S } | undefined;

  constructor({ clientId, reducer, confirmed }: WriteAheadOptions<S, A>) {
    this.#clientId = clientId;
    this.#reducer = reducer;
    this.#confirmed = confirmed;
  }

  get confirmed(): S {
    return this.#confirmed;
  }

  get pending(): readonly PendingAction<A>[] {
    return this.#pending;
  }

  /** The confirmed state itself when nothing is pending. Computed when it is asked for, then kept. */
  get optimistic(): S {
    if (this.#pending.length === 0) return this.#confirmed;
    this.#optimistic ??= {
      state: this.#pending.reduce((state, { action }) => this.#reducer(state, action), this.#confirmed),
    };
    return this.#optimistic.state;
  }

  predict(clientSeq: number, action: A): void {
    const optimistic = this.optimistic;
    this.#pending = [...this.#pending, { clientSeq, action }];
    this.#optimistic = { state: this.#reducer(optimistic, action) };
  }

  /** Returns the `clientSeq` that it settles: of an own echo, or of a rejection. */
  receive({ action, origin, rejectionReason }: OrderedAction<A>): number | undefined {
    const own = origin?.clientId === this.#clientId ? origin.clientSeq : undefined;
    if (own !== undefined) this.forget(own);
    if (rejectionReason === undefined) this.replaceConfirmed(this.#reducer(this.#confirmed, action));
    return own;
  }

  /** Takes an action out without applying it: it was refused, or the confirmed state has it already. */
  forget(clientSeq: number): void {
    const left = this.#pending.filter((pending) => pending.clientSeq !== clientSeq);
    if (left.length === this.#pending.length) return;
    this.#pending = left;
    this.#optimistic = undefined;
  }

  /** Another confirmed state; what is pending is applied on top of it. */
  replaceConfirmed(confirmed: S): void {
    if (Object.is(confirmed, this.#confirmed)) return;
    this.#confirmed = confirmed;
    this.#optimistic = undefined;
  }
}
