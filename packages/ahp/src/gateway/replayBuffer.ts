import { sizeOf } from '../translate/json.js';
import type { AhpEnvelope } from '../types.js';
import type { AhpLimits } from './limits.js';

/** What a client was sent last, for when it comes back and has not got all of it. */
export class ReplayBuffer {
  readonly #limits: Pick<AhpLimits, 'maxReplayEnvelopes' | 'maxReplayChars'>;
  readonly #entries: { readonly envelope: AhpEnvelope; readonly size: number }[] = [];
  #chars = 0;
  /** Of this number and those before it, nothing is known. */
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

  /** Everything after that number, or `undefined` when some of it is forgotten. */
  since(serverSeq: number): readonly AhpEnvelope[] | undefined {
    if (serverSeq < this.#forgotten) return undefined;
    return this.#entries.map(({ envelope }) => envelope).filter((envelope) => envelope.serverSeq > serverSeq);
  }

  /** Something happened that no envelope tells of. */
  forget(upTo: number): void {
    this.#entries.length = 0;
    this.#chars = 0;
    this.#forgotten = upTo;
  }
}
