import { CloseEvent, type Disposable, Emitter } from '../events.js';
import type { CloseReason } from '../transport.js';

const DEFAULT_MAX_WAITING_CHARS = 16 * 1024 * 1024;
/** Counted for each waiting entry on top of its text, so that a flood of empty frames is bounded too. */
const ENTRY_COST = 64;

export interface InboxOptions {
  /** How much may wait for the first listener, in characters. Default 16 Mi. */
  readonly maxWaitingChars?: number;
  /** Gets what a listener threw. */
  readonly onListenerError?: (error: unknown) => void;
}

type Entry =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'oversize'; readonly maxBytes: number }
  | { readonly kind: 'close'; readonly reason: CloseReason };

/**
 * The receiving half of a transport, to write transports around. It keeps the promises of the Transport contract: the order of
 * frames, frames that arrive before the first listener, listeners that throw, and a close that each listener hears exactly once.
 *
 * @example
 * ```ts
 * declare const socket: WebSocket;
 *
 * const inbox = new Inbox(() => socket.close());
 * socket.addEventListener('message', ({ data }) => inbox.receive(String(data)));
 * socket.addEventListener('close', ({ code, reason }) => inbox.end({ code, message: reason }));
 * ```
 */
export class Inbox {
  readonly #messages: Emitter<string>;
  readonly #oversize: Emitter<number>;
  readonly #close: CloseEvent;
  readonly #maxWaitingChars: number;
  readonly #onOverflow: (reason: CloseReason) => void;
  #waiting: Entry[] = [];
  #waitingChars = 0;
  #state: 'waitingForListener' | 'open' | 'draining' = 'waitingForListener';
  #ended = false;

  /** `onOverflow` is called when too much waits; the transport then closes itself, which must call `close`. */
  constructor(onOverflow: (reason: CloseReason) => void, options: InboxOptions = {}) {
    const { onListenerError = () => {} } = options;
    this.#onOverflow = onOverflow;
    this.#maxWaitingChars = options.maxWaitingChars ?? DEFAULT_MAX_WAITING_CHARS;
    this.#messages = new Emitter(onListenerError);
    this.#oversize = new Emitter(onListenerError);
    this.#close = new CloseEvent(onListenerError);
  }

  /** No more frames are accepted: the close was reported, or waits behind frames that were not delivered yet. */
  get ended(): boolean {
    return this.#ended;
  }

  onMessage(listener: (text: string) => void): Disposable {
    const added = this.#messages.event(listener);
    if (this.#state === 'waitingForListener') {
      this.#state = 'draining';
      queueMicrotask(() => this.#drain());
    }
    return added;
  }

  onOversizeFrame(listener: (maxBytes: number) => void): Disposable {
    return this.#oversize.event(listener);
  }

  onClose(listener: (reason: CloseReason) => void): Disposable {
    return this.#close.on(listener);
  }

  receive(text: string): void {
    this.#take({ kind: 'message', text }, text.length);
  }

  receiveOversize(maxBytes: number): void {
    this.#take({ kind: 'oversize', maxBytes }, 0);
  }

  /** The other side closed. Reported after everything that was received before. */
  end(reason: CloseReason): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#waiting.length === 0 && this.#state !== 'draining') this.#tellClose(reason);
    else this.#waiting.push({ kind: 'close', reason });
  }

  /** This side closed. Reported at once; frames that wait are dropped. */
  close(reason: CloseReason): void {
    this.#ended = true;
    this.#waiting = [];
    this.#waitingChars = 0;
    this.#tellClose(reason);
  }

  #take(entry: Entry, chars: number): void {
    if (this.#ended) return;
    if (this.#state === 'open') {
      this.#state = 'draining';
      this.#deliver(entry);
      this.#drain();
      return;
    }
    this.#waitingChars += chars + ENTRY_COST;
    if (this.#waitingChars > this.#maxWaitingChars) {
      this.#onOverflow({ message: `more than ${this.#maxWaitingChars} characters arrived before anybody listened` });
      return;
    }
    this.#waiting.push(entry);
  }

  #drain(): void {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      this.#waitingChars = 0;
      for (const entry of batch) {
        if (this.#close.reason !== undefined) return;
        this.#deliver(entry);
      }
    }
    this.#state = 'open';
  }

  #deliver(entry: Entry): void {
    if (entry.kind === 'message') this.#messages.fire(entry.text);
    else if (entry.kind === 'oversize') this.#oversize.fire(entry.maxBytes);
    else this.#tellClose(entry.reason);
  }

  #tellClose(reason: CloseReason): void {
    this.#close.tell(reason);
    this.#messages.clear();
    this.#oversize.clear();
  }
}
