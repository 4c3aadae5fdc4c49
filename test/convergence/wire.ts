import { type CloseReason, type Frame, frameToText, Inbox, type Transport } from '@agenthost/rpc';

export interface FrameEntry {
  readonly kind: 'frame';
  readonly text: string;
}

export type Entry = FrameEntry | { readonly kind: 'close'; readonly reason: CloseReason };

export const LOST: CloseReason = { message: 'the connection was lost' };

/** One direction of a wire: what was sent and has not arrived yet, in order. */
export class Lane {
  readonly #arrived: (entry: Entry) => void;
  readonly #onDuplicated: ((text: string) => void) | undefined;
  readonly #mayComeTwice: (text: string) => boolean;
  #inFlight: Entry[] = [];
  #held: boolean;
  #sealed = false;
  #copyNext = false;

  constructor(
    held: boolean,
    arrived: (entry: Entry) => void,
    onDuplicated?: (text: string) => void,
    mayComeTwice: (text: string) => boolean = isDispatch,
  ) {
    this.#held = held;
    this.#arrived = arrived;
    this.#onDuplicated = onDuplicated;
    this.#mayComeTwice = mayComeTwice;
  }

  send(entry: Entry): void {
    if (this.#sealed) return;
    this.#inFlight.push(entry);
    if (this.#copyNext && this.#isDoubled(entry)) {
      this.#copyNext = false;
      this.#onDuplicated?.(entry.text);
      this.#inFlight.push(entry);
      queueMicrotask(() => this.#flow());
    }
    queueMicrotask(() => this.#flow());
  }

  /** From now on frames arrive only when they are told to. */
  hold(): void {
    this.#held = true;
  }

  /** Everything that was held arrives at once. */
  release(): void {
    this.#held = false;
    this.deliver(this.#inFlight.length);
  }

  deliver(count: number): void {
    for (let left = count; left > 0; left--) this.#deliverOne();
  }

  /** A frame (of a client: an action) arrives twice: right behind the first time, or behind all that is in flight. */
  duplicate(late: boolean): void {
    const found = this.#inFlight.find((entry) => this.#isDoubled(entry));
    if (!found) {
      this.#copyNext = true;
      return;
    }
    this.#onDuplicated?.(found.text);
    if (late) {
      this.send(found);
      return;
    }
    this.#inFlight.splice(this.#inFlight.indexOf(found), 0, found);
    // One more is in flight, so one more has to arrive: else the last one waits for ever.
    queueMicrotask(() => this.#flow());
  }

  /** All frames in flight arrive a second time, behind them. */
  repeat(): void {
    for (const entry of this.#inFlight.filter((one): one is FrameEntry => this.#isDoubled(one))) {
      this.#onDuplicated?.(entry.text);
      this.send(entry);
    }
  }

  /** Nothing more is taken; what is in flight may still arrive. */
  seal(): void {
    this.#sealed = true;
  }

  lose(): void {
    this.#sealed = true;
    this.#inFlight = [];
  }

  #isDoubled(entry: Entry): entry is FrameEntry {
    return entry.kind === 'frame' && this.#mayComeTwice(entry.text);
  }

  #flow(): void {
    if (!this.#held) this.#deliverOne();
  }

  #deliverOne(): void {
    const entry = this.#inFlight.shift();
    if (entry) this.#arrived(entry);
  }
}

export interface WireOptions {
  readonly hold?: { readonly toHost: boolean; readonly toClient: boolean };
  readonly onSentToHost?: (text: string) => void;
  /** A second copy of this action is under way. */
  readonly onDuplicated?: (text: string) => void;
  /** Called right before the client sees the frame. */
  readonly onArrivingAtClient?: (text: string) => void;
}

/**
 * A connection that behaves like the real ones, at its worst: frames wait, arrive in bursts and, when the connection is lost,
 * not at all; one side may learn of the loss long before the other. They never overtake each other.
 */
export class Wire {
  readonly client: Transport;
  readonly host: Transport;
  readonly toHost: Lane;
  readonly toClient: Lane;
  readonly #clientInbox: Inbox;
  readonly #hostInbox: Inbox;

  constructor({ hold, onSentToHost, onDuplicated, onArrivingAtClient }: WireOptions = {}) {
    this.#clientInbox = new Inbox((reason) => this.client.close(reason));
    this.#hostInbox = new Inbox((reason) => this.host.close(reason));
    this.toHost = new Lane(hold?.toHost ?? false, (entry) => arrive(this.#hostInbox, entry), onDuplicated);
    this.toClient = new Lane(hold?.toClient ?? false, (entry) => {
      if (entry.kind === 'frame' && !this.#clientInbox.ended) onArrivingAtClient?.(entry.text);
      arrive(this.#clientInbox, entry);
    });
    this.client = end(this.#clientInbox, this.toHost, onSentToHost);
    this.host = end(this.#hostInbox, this.toClient);
  }

  get isOpen(): boolean {
    return !this.#clientInbox.ended;
  }

  /** Lost for both, with all that was in flight. */
  cut(): void {
    this.toHost.lose();
    this.toClient.lose();
    this.#clientInbox.end(LOST);
    this.#hostInbox.end(LOST);
  }

  /** Lost for the client; what it sent is still under way, and the host learns of the loss behind it. */
  cutForClient(): void {
    this.toHost.send({ kind: 'close', reason: LOST });
    this.toHost.seal();
    this.toClient.lose();
    this.#clientInbox.end(LOST);
  }

  /** The host is gone. What it had sent may still arrive, or may not. */
  hostDied(lastFramesArrive: boolean): void {
    this.toHost.lose();
    if (lastFramesArrive) {
      this.toClient.send({ kind: 'close', reason: LOST });
      this.toClient.seal();
    } else {
      this.toClient.lose();
      this.#clientInbox.end(LOST);
    }
    this.#hostInbox.end(LOST);
  }
}

function end(inbox: Inbox, outgoing: Lane, onSent?: (text: string) => void): Transport {
  return {
    send: (frame: Frame) => {
      if (inbox.ended) return;
      const text = frameToText(frame);
      onSent?.(text);
      outgoing.send({ kind: 'frame', text });
    },
    onMessage: (listener) => inbox.onMessage(listener),
    onClose: (listener) => inbox.onClose(listener),
    close: (reason: CloseReason = { message: 'closed by this side' }) => {
      outgoing.send({ kind: 'close', reason });
      outgoing.seal();
      inbox.close(reason);
    },
  };
}

function arrive(inbox: Inbox, entry: Entry): void {
  if (entry.kind === 'frame') inbox.receive(entry.text);
  else inbox.end(entry.reason);
}

function isDispatch(text: string): boolean {
  return text.includes('"method":"dispatchAction"');
}
