import type { Credential } from '../protocol/credential.js';

/** What the sockets of one device may have unread together: each has its own limit, but a token opens many of them. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024;

/** A socket whose other side may not read. */
export interface Reader {
  readonly unreadBytes: number;
  /** Ends it now, and drops what waits. */
  cutOff(): void;
}

/** Bounds what all sockets of a device's token make the host keep for them. The owner's are not counted: it may do anything. */
export class UnreadBytes {
  readonly #readers = new Map<string, Set<Reader>>();

  add({ id, role }: Credential, reader: Reader): void {
    if (role === 'owner') return;
    const readers = this.#readers.get(id) ?? new Set<Reader>();
    this.#readers.set(id, readers.add(reader));
  }

  remove({ id }: Credential, reader: Reader): void {
    const readers = this.#readers.get(id);
    readers?.delete(reader);
    if (readers?.size === 0) this.#readers.delete(id);
  }

  /** Something waits: where it is too much, the socket that reads least ends. */
  check({ id }: Credential): void {
    let [sum, most, slowest]: [number, number, Reader | undefined] = [0, 0, undefined];
    for (const reader of this.#readers.get(id) ?? []) {
      const { unreadBytes } = reader;
      sum += unreadBytes;
      if (unreadBytes > most) [most, slowest] = [unreadBytes, reader];
    }
    if (sum > MAX_UNREAD_BYTES) slowest?.cutOff();
  }
}
