import type { Socket } from 'node:net';
import { addressGroup, isLoopback } from '../networkAddress.js';

export interface GuestLimits {
  /** Maximum number of connections without a token. */
  readonly maxGuests: number;
  /** Maximum per address. It doesn't apply to loopback, where all users and a reverse proxy have the same address. */
  readonly maxGuestsPerAddress: number;
}

export const DEFAULT_GUEST_LIMITS: GuestLimits = { maxGuests: 1_024, maxGuestsPerAddress: 256 };

/** The other end of a connection. */
export interface Remote {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/**
 * Connections without a token yet: a page that loads, a client that is about to open its socket, or an attack. At the limit the one
 * that was quiet for longest is ended, not the new one: a client with a token needs its connection for milliseconds,
 * and half-open requests must not keep it out until they time out.
 */
export class GuestConnections {
  readonly #limits: GuestLimits;
  /** By address, the one that was quiet for longest first. */
  readonly #byAddress = new Map<string, Map<string, Socket>>();
  #size = 0;

  constructor(limits: GuestLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  /** False: another connection was ended for it. */
  add(socket: Socket): boolean {
    const [address, key] = placeOf(socket);
    const here = this.#byAddress.get(address) ?? new Map<string, Socket>();
    this.#byAddress.set(address, here);
    // The address and port may be reused before the end of the last connection from there is noticed.
    if (!here.delete(key)) this.#size++;
    here.set(key, socket);
    socket.once('close', () => {
      if (this.#byAddress.get(address)?.get(key) === socket) this.#remove(address, key);
    });
    const isFull = !isLoopback(address) && here.size > this.#limits.maxGuestsPerAddress;
    if (!isFull && this.#size <= this.#limits.maxGuests) return true;
    this.#endOldest(isFull ? address : this.#mostUsed());
    return false;
  }

  /** It sent a request. */
  asked(remote: Remote): void {
    const [address, key] = placeOf(remote);
    const here = this.#byAddress.get(address);
    const socket = here?.get(key);
    if (!here || !socket) return;
    here.delete(key);
    here.set(key, socket);
  }

  /** It has shown a token. */
  leave(remote: Remote): void {
    this.#remove(...placeOf(remote));
  }

  #mostUsed(): string {
    let [most, size] = ['', 0];
    for (const [address, here] of this.#byAddress) if (here.size > size) [most, size] = [address, here.size];
    return most;
  }

  #endOldest(address: string): void {
    const [oldest] = this.#byAddress.get(address) ?? [];
    if (!oldest) return;
    const [key, socket] = oldest;
    this.#remove(address, key);
    socket.destroy();
  }

  #remove(address: string, key: string): void {
    const here = this.#byAddress.get(address);
    if (!here?.delete(key)) return;
    this.#size--;
    if (here.size === 0) this.#byAddress.delete(address);
  }
}

/** By address and port, because a TLS socket is another object than its connection. */
function placeOf({ remoteAddress = '', remotePort = 0 }: Remote): [address: string, key: string] {
  return [addressGroup(remoteAddress), `${remoteAddress} ${remotePort}`];
}
