import type { Credential } from '../../connection/credential.js';

/** The part of all connections that one device's token may have, and the part that only the owner may have. */
const DEVICE_SHARE = 0.1;
const OWNER_SHARE = 0.1;

/** Sockets that came with a token. No device can take them all: the owner must get in to take its token back. */
export class ClientSlots {
  readonly #max: number;
  readonly #byCredential = new Map<string, number>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Takes a slot; the result gives it back. `undefined`: there is none for this token. */
  take({ id, role }: Credential): (() => void) | undefined {
    const own = this.#byCredential.get(id) ?? 0;
    if (this.#size >= this.#max) return undefined;
    if (role !== 'owner') {
      if (own >= Math.max(1, Math.floor(this.#max * DEVICE_SHARE))) return undefined;
      if (this.#size >= this.#max - Math.floor(this.#max * OWNER_SHARE)) return undefined;
    }
    this.#size++;
    this.#byCredential.set(id, own + 1);
    return () => this.#release(id);
  }

  #release(id: string): void {
    this.#size--;
    const left = (this.#byCredential.get(id) ?? 0) - 1;
    if (left > 0) this.#byCredential.set(id, left);
    else this.#byCredential.delete(id);
  }
}
