import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Credential } from '../../connection/credential.js';
import type { GatheredWarnings } from '../gatheredWarnings.js';
import { GuestConnections, type GuestLimits, type Remote } from './guestConnections.js';

interface AdmissionOptions {
  readonly maxConnections: number;
  readonly guestLimits: GuestLimits;
}

/** The share of descriptors for connections without a token. */
const GUEST_SHARE = 0.25;

/** Limits connections. Those without a token are counted separately, so that they never take the place of those with one. */
export class Admission {
  readonly #descriptors: DescriptorShare;
  readonly #guests: GuestConnections;
  readonly #slots: ClientSlots;
  readonly #requests = new UnansweredRequests(DEFAULT_REQUEST_LIMITS);
  readonly #warnings: GatheredWarnings;

  constructor({ maxConnections, guestLimits }: AdmissionOptions, warnings: GatheredWarnings) {
    this.#warnings = warnings;
    this.#descriptors = descriptorShare();
    const maxGuests = Math.min(guestLimits.maxGuests, Math.floor(this.#descriptors.max * GUEST_SHARE));
    this.#guests = new GuestConnections({ ...guestLimits, maxGuests });
    this.#slots = new ClientSlots(Math.min(maxConnections, this.#descriptors.max - maxGuests));
  }

  /** False: no descriptor was left, and the connection was ended. */
  connected(socket: Socket): boolean {
    if (!this.#descriptors.fits(socket)) {
      this.#warn('a connection was refused: few file descriptors are left (ulimit -n), and those are kept for files');
      socket.destroy();
      return false;
    }
    if (!this.#guests.add(socket)) this.#warn('a connection without a token was ended: there are too many of them');
    return true;
  }

  /** False: the request must not be answered. */
  mayAsk(request: IncomingMessage, response: ServerResponse): boolean {
    this.#guests.asked(request.socket);
    return this.#requests.begin(request, response);
  }

  /** The answer may take long: whoever writes it ends it when it is not read. */
  streams(response: ServerResponse): void {
    this.#requests.streams(response);
  }

  /** The connection has shown a token. Call the result when it ends; `undefined`: there is no slot. */
  letIn(socket: Remote, credential: Credential): (() => void) | undefined {
    const release = this.#slots.take(credential);
    if (release) this.#guests.leave(socket);
    else this.#warn(`a connection with the token of ${credential.name ?? 'the owner'} was refused: there are too many`);
    return release;
  }

  #warn(message: string): void {
    this.#warnings.warn(message, 'connections were refused, because there are too many');
  }
}

/** The share of all connections for one device's token, and the share that is reserved for the owner. */
const DEVICE_SHARE = 0.1;
const OWNER_SHARE = 0.1;

/** Sockets with a token. No device can take them all: the owner must be able to connect and revoke its token. */
export class ClientSlots {
  readonly #max: number;
  readonly #byCredential = new Map<string, number>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Takes a slot; the result releases it. `undefined`: none is left for this token. */
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

interface RequestLimits {
  /** Maximum number of unanswered requests on one connection; beyond it the connection ends. */
  readonly maxUnanswered: number;
  /** How long the other side may take to read an answer. */
  readonly answerMs: number;
}

/** Browsers and proxies wait for each answer; some tools send a few requests ahead. */
const DEFAULT_REQUEST_LIMITS: RequestLimits = { maxUnanswered: 8, answerMs: 60_000 };

/** Bounds what one connection can request over HTTP without reading the answers. */
export class UnansweredRequests {
  readonly #limits: RequestLimits;
  readonly #counts = new WeakMap<Socket, number>();
  readonly #timers = new WeakMap<ServerResponse, NodeJS.Timeout>();

  constructor(limits: RequestLimits) {
    this.#limits = limits;
  }

  /** False: there are too many, or the connection has ended; the request must not be answered. */
  begin({ socket }: IncomingMessage, response: ServerResponse): boolean {
    // Data that was read at once is parsed to its end, also after the connection was ended.
    if (socket.destroyed) return false;
    const count = (this.#counts.get(socket) ?? 0) + 1;
    this.#counts.set(socket, count);
    if (count > this.#limits.maxUnanswered) {
      socket.destroy();
      return false;
    }
    const timer = setTimeout(() => socket.destroy(), this.#limits.answerMs).unref();
    this.#timers.set(response, timer);
    response.once('close', () => {
      clearTimeout(timer);
      this.#counts.set(socket, (this.#counts.get(socket) ?? 1) - 1);
    });
    return true;
  }

  streams(response: ServerResponse): void {
    clearTimeout(this.#timers.get(response));
  }
}

/** Descriptors that no connection gets: for the log, the sessions' files and the agents. */
const MAX_RESERVE = 256;
const RESERVE_SHARE = 0.25;

/** How many descriptors connections may use, from the limit of this process. */
interface DescriptorShare {
  /** Maximum number of connections. */
  readonly max: number;
  /** Whether the reserve is still free after accepting this connection. */
  fits(socket: Socket): boolean;
}

export function descriptorShare(limit = descriptorLimit()): DescriptorShare {
  const max = limit - Math.min(MAX_RESERVE, Math.floor(limit * RESERVE_SHARE));
  return {
    max,
    // A new descriptor is the lowest free one, so its number tells how many are in use.
    fits: (socket) => (descriptorOf(socket) ?? 0) < max,
  };
}

/** Infinity if there is no limit or it is unknown. Node raises the soft limit to the hard one at its start. */
function descriptorLimit(): number {
  if (process.platform === 'win32') return Number.POSITIVE_INFINITY;
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1');
    const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return reportedLimit();
  }
}

function reportedLimit(): number {
  const report = process.report as typeof process.report & { excludeNetwork?: boolean };
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const soft = Number(userLimits?.open_files?.soft);
  return Number.isSafeInteger(soft) ? soft : Number.POSITIVE_INFINITY;
}

/** `undefined` where descriptors have no numbers. */
function descriptorOf(socket: Socket): number | undefined {
  const { _handle: handle } = socket as { readonly _handle?: { readonly fd?: unknown } };
  return typeof handle?.fd === 'number' && handle.fd >= 0 ? handle.fd : undefined;
}
