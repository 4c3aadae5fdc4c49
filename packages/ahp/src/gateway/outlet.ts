import type { Disposable, Schedule } from '@agenthost/rpc';
import { sizeOf } from '../translate/json.js';
import type { AhpEnvelope } from '../types.js';
import type { AhpLimits } from './limits.js';

/** A client's socket. */
export interface AhpSocket {
  notify(method: string, params: object): void;
  close(reason: string, code?: number): void;
}

interface AhpOutletOptions {
  readonly limits: AhpLimits;
  readonly schedule: Schedule;
  readonly currentSeq: number;
}

/** Sends to one client over its socket while it has one, and keeps envelopes for a reconnect. */
export class AhpOutlet {
  readonly replay: ReplayBuffer;
  readonly #options: AhpOutletOptions;
  #socket: AhpSocket | undefined;
  /** False while the socket waits for the answer to its handshake: that answer contains what comes meanwhile. */
  #isLive = false;
  #held: { readonly frames: [method: string, params: object][]; readonly timer: Disposable } | undefined;

  constructor(options: AhpOutletOptions) {
    this.#options = options;
    this.replay = new ReplayBuffer(options.limits, options.currentSeq);
  }

  get socket(): AhpSocket | undefined {
    return this.#socket;
  }

  /** Sets another socket, or none. It gets nothing before `open`. */
  use(socket: AhpSocket | undefined): void {
    this.#socket = socket;
    this.#isLive = false;
    this.#held?.timer.dispose();
    this.#held = undefined;
  }

  /** In the turn of the event loop in which the handshake is answered; does nothing when that socket is gone. */
  open(socket: AhpSocket): void {
    if (this.#socket === socket) this.#isLive = true;
  }

  /**
   * Later envelopes wait until the client sends something, or for a moment: VS Code processes what arrives right behind the answer to
   * its `reconnect` before that answer, so text would be out of order, or overwritten by a snapshot.
   */
  holdBack(): void {
    const timer = this.#options.schedule(() => this.release(), this.#options.limits.holdBackMs);
    this.#held = { frames: [], timer };
  }

  release(): void {
    const held = this.#held;
    this.#held = undefined;
    held?.timer.dispose();
    for (const [method, params] of held?.frames ?? []) this.#socket?.notify(method, params);
  }

  send(envelope: AhpEnvelope): void {
    this.replay.add(envelope);
    this.tell('action', envelope);
  }

  /** Not kept: a client that was away lists again. */
  tell(method: string, params: object): void {
    if (!this.#isLive) return;
    if (!this.#held) {
      this.#socket?.notify(method, params);
      return;
    }
    this.#held.frames.push([method, params]);
    if (this.#held.frames.length >= this.#options.limits.maxReplayEnvelopes) this.release();
  }
}

/** The last envelopes of a client, for a reconnect. */
export class ReplayBuffer {
  readonly #limits: Pick<AhpLimits, 'maxReplayEnvelopes' | 'maxReplayChars'>;
  readonly #entries: { readonly envelope: AhpEnvelope; readonly size: number }[] = [];
  #chars = 0;
  /** This number and earlier ones are unknown. */
  #forgotten: number;

  constructor(limits: Pick<AhpLimits, 'maxReplayEnvelopes' | 'maxReplayChars'>, from: number) {
    this.#limits = limits;
    this.#forgotten = from;
  }

  add(envelope: AhpEnvelope): void {
    const size = sizeOf(envelope);
    this.#entries.push({ envelope, size });
    this.#chars += size;
    const { maxReplayEnvelopes, maxReplayChars } = this.#limits;
    while (this.#entries.length > maxReplayEnvelopes || this.#chars > maxReplayChars) {
      const [oldest] = this.#entries.splice(0, 1);
      if (!oldest) return;
      this.#chars -= oldest.size;
      this.#forgotten = oldest.envelope.serverSeq;
    }
  }

  /** Everything after that number, or `undefined` when some of it was dropped. */
  since(serverSeq: number): readonly AhpEnvelope[] | undefined {
    if (serverSeq < this.#forgotten) return undefined;
    return this.#entries.map(({ envelope }) => envelope).filter((envelope) => envelope.serverSeq > serverSeq);
  }

  /** Something changed without an envelope. */
  forget(upTo: number): void {
    this.#entries.length = 0;
    this.#chars = 0;
    this.#forgotten = upTo;
  }
}
