import type { Credential } from '../../connection/credential.js';

/** What the sockets of one device may make the host hold together: each has its own limit, but a token opens many. */
const MAX_HELD_BYTES = 32 * 1024 * 1024;

/** A socket whose other side may not read, or not finish its messages. */
export interface Holder {
  readonly heldBytes: number;
  /** Ends it now, and drops what is held. */
  cutOff(): void;
}

/** Bounds what the host holds for all sockets of a device's token. The owner's are not counted. */
export class HeldBytes {
  readonly #holders = new Map<string, Set<Holder>>();

  add({ id, role }: Credential, holder: Holder): void {
    if (role === 'owner') return;
    const holders = this.#holders.get(id) ?? new Set<Holder>();
    this.#holders.set(id, holders.add(holder));
  }

  remove({ id }: Credential, holder: Holder): void {
    const holders = this.#holders.get(id);
    holders?.delete(holder);
    if (holders?.size === 0) this.#holders.delete(id);
  }

  /** Reports that more is held. Beyond the limit, the socket with the most held bytes is ended. */
  check({ id }: Credential): void {
    let [sum, most, largest]: [number, number, Holder | undefined] = [0, 0, undefined];
    for (const holder of this.#holders.get(id) ?? []) {
      const { heldBytes } = holder;
      sum += heldBytes;
      if (heldBytes > most) [most, largest] = [heldBytes, holder];
    }
    if (sum > MAX_HELD_BYTES) largest?.cutOff();
  }
}
