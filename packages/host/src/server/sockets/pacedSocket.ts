import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** Bytes per turn: few for expensive data such as many small requests, more for parts of something long. */
const MIN_SLICE_BYTES = 512;
const MAX_SLICE_BYTES = 4 * 1024;
const MUCH_MS = 1;

/** The group of all connections without a token. */
const GUESTS = 'guests';
/** When a network fails, a thousand connections end at once: the remaining ones don't wait behind them. */
const ENDINGS = 'endings';

/**
 * A connection whose bytes are handled in turns. A system delivers data in pieces of 64 KiB, many of them in one tick, and parsers
 * of HTTP and WebSockets handle a whole piece at once: ten thousand tiny frames would stall every client. Data that is
 * not handled yet stops the reading, so that the sender waits. Only for consumers that listen to `data`, as both parsers do.
 */
export class PacedSocket extends Duplex {
  /** For writes that need no turn. */
  readonly raw: Socket;
  readonly #turns: FairTurns;
  readonly #pending: Buffer[] = [];
  #group = GUESTS;
  #sliceBytes = MIN_SLICE_BYTES;
  /** How the other side ended the connection; it is handled after all earlier data. */
  #end: 'ended' | 'closed' | undefined;

  constructor(raw: Socket, turns: FairTurns) {
    super({ allowHalfOpen: true });
    this.raw = raw;
    this.#turns = turns;
    raw.on('data', (chunk) => {
      this.#pending.push(chunk);
      this.#turns.begin(this.#group, this.#readSlice);
      if (this.#pending.length > 0) raw.pause();
    });
    raw.on('end', () => {
      this.#end ??= 'ended';
      this.#turns.begin(ENDINGS, this.#readSlice);
    });
    raw.on('error', () => {});
    raw.on('close', () => {
      this.#end = 'closed';
      this.#turns.begin(ENDINGS, this.#readSlice);
    });
    raw.on('timeout', () => this.emit('timeout'));
  }

  get remoteAddress(): string | undefined {
    return this.raw.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.raw.remotePort;
  }

  get localAddress(): string | undefined {
    return this.raw.localAddress;
  }

  /** Sets the group whose turns it takes from now on. */
  joinGroup(group: string): void {
    this.#group = group;
  }

  /** Other work that this connection causes. */
  inTurn(turn: Turn): void {
    this.#turns.begin(this.#group, turn);
  }

  override resume(): this {
    super.resume();
    if (this.#pending.length > 0) this.#turns.later(this.#group, this.#readSlice);
    return this;
  }

  setTimeout(ms: number): this {
    this.raw.setTimeout(ms);
    return this;
  }

  setNoDelay(noDelay?: boolean): this {
    this.raw.setNoDelay(noDelay);
    return this;
  }

  /** As on a socket: `http` uses it to end connections that are not kept alive. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  // Bytes come when they arrive; `readableFlowing` says whether they are wanted.
  override _read(): void {}

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.raw.write(chunk, encoding, whenWritten(done));
  }

  override _writev(
    chunks: readonly { readonly chunk: Buffer; readonly encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    const last = chunks.length - 1;
    this.raw.cork();
    chunks.forEach(({ chunk, encoding }, n) => {
      this.raw.write(chunk, encoding, n === last ? whenWritten(done) : undefined);
    });
    this.raw.uncork();
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.raw.destroyed) done();
    else this.raw.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#pending.length = 0;
    this.raw.destroy();
    done(error);
  }

  readonly #readSlice: Turn = () => {
    if (this.destroyed) return false;
    const [chunk] = this.#pending;
    if (chunk) {
      // There is no consumer now: `resume` continues. If there will be none, the data is dropped.
      if (this.readableFlowing !== true) {
        if (this.#end === 'closed') this.destroy();
        return false;
      }
      this.#handleSlice(chunk);
      if (this.#pending.length > 0) return true;
    }
    if (this.#end === 'closed') this.destroy();
    else if (this.#end === undefined) this.raw.resume();
    else if (!this.readableEnded) this.push(null);
    return false;
  };

  #handleSlice(chunk: Buffer): void {
    const size = this.#sliceBytes;
    if (chunk.length > size) this.#pending[0] = chunk.subarray(size);
    else this.#pending.shift();
    const began = performance.now();
    this.push(chunk.subarray(0, size));
    const isMuch = performance.now() - began > MUCH_MS;
    this.#sliceBytes = isMuch ? MIN_SLICE_BYTES : Math.min(2 * size, MAX_SLICE_BYTES);
  }
}

/** A failed write is not reported: the end of the connection follows, and is handled in its turn. */
function whenWritten(done: () => void): (error?: Error | null) => void {
  return (error) => {
    if (!error) done();
  };
}

/** How long others wait at most for one tick's work. */
const BUDGET_MS = 4;
/** Minimum cost of a turn: its consequences run after it, at the end of the tick. */
const LEAST_MS = 0.1;

/** Does some work, and returns whether there is more. */
export type Turn = () => boolean;

/**
 * Runs the work of connections in turn, first among groups, then within each, so that a client that sends much delays only itself,
 * however many connections it has. After a few milliseconds the rest waits for a later tick. The order within one work is kept.
 */
export class FairTurns {
  readonly #waiting = new Map<string, Set<Turn>>();
  #spentMs = 0;
  #isScheduled = false;

  /** Starts at once when no other work waits. */
  begin(group: string, turn: Turn): void {
    let hasMore = true;
    while (hasMore && this.#waiting.size === 0 && this.#spentMs < BUDGET_MS) hasMore = this.#run(turn);
    if (hasMore) this.later(group, turn);
    else this.#schedule();
  }

  later(group: string, turn: Turn): void {
    const turns = this.#waiting.get(group) ?? new Set<Turn>();
    this.#waiting.set(group, turns.add(turn));
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#spentMs = 0;
      this.#runWaiting();
    });
  }

  #runWaiting(): void {
    try {
      while (this.#waiting.size > 0 && this.#spentMs < BUDGET_MS) this.#runNext();
    } finally {
      // Also after a turn that threw: the others continue.
      if (this.#waiting.size > 0) this.#schedule();
    }
  }

  #runNext(): void {
    const [next] = this.#waiting;
    if (!next) return;
    const [group, turns] = next;
    const [turn] = turns;
    this.#waiting.delete(group);
    if (!turn) return;
    turns.delete(turn);
    if (turns.size > 0) this.#waiting.set(group, turns);
    if (this.#run(turn)) this.later(group, turn);
  }

  #run(turn: Turn): boolean {
    const began = performance.now();
    try {
      return turn();
    } finally {
      this.#spentMs += Math.max(performance.now() - began, LEAST_MS);
    }
  }
}
