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

/** Of the descriptors that connections may use, the part for those without a token. */
const GUEST_SHARE = 0.25;

/** How many connections there may be: those without a token on their own, so that they never take the place of those with one. */
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

  /** False: there is no descriptor for it, and it was ended. */
  connected(socket: Socket): boolean {
    if (!this.#descriptors.fits(socket)) {
      this.#warn('a connection was refused: few file descriptors are left (ulimit -n), and those are kept for files');
      socket.destroy();
      return false;
    }
    if (!this.#guests.add(socket)) this.#warn('a connection without a token was ended: there are too many of them');
    return true;
  }

  /** False: the request is not to be answered. */
  mayAsk(request: IncomingMessage, response: ServerResponse): boolean {
    this.#guests.asked(request.socket);
    return this.#requests.begin(request, response);
  }

  /** The connection has shown a token. The result is to be called when it ends; `undefined`: there is no place for it. */
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

interface RequestLimits {
  /** Requests on one connection that are not answered in full; with more the connection ends. */
  readonly maxUnanswered: number;
  /** How long the other side has to take an answer. */
  readonly answerMs: number;
}

/** Browsers and proxies send a request when the one before it is answered; some tools send a few ahead. */
const DEFAULT_REQUEST_LIMITS: RequestLimits = { maxUnanswered: 8, answerMs: 60_000 };

/** Bounds what one connection can ask for over HTTP without reading the answers. */
export class UnansweredRequests {
  readonly #limits: RequestLimits;
  readonly #counts = new WeakMap<Socket, number>();

  constructor(limits: RequestLimits) {
    this.#limits = limits;
  }

  /** False: there are too many, or the connection is gone; the request is not to be answered. */
  begin({ socket }: IncomingMessage, response: ServerResponse): boolean {
    // What was read at once is parsed to its end, also after the connection was ended.
    if (socket.destroyed) return false;
    const count = (this.#counts.get(socket) ?? 0) + 1;
    this.#counts.set(socket, count);
    if (count > this.#limits.maxUnanswered) {
      socket.destroy();
      return false;
    }
    const timer = setTimeout(() => socket.destroy(), this.#limits.answerMs).unref();
    response.once('close', () => {
      clearTimeout(timer);
      this.#counts.set(socket, (this.#counts.get(socket) ?? 1) - 1);
    });
    return true;
  }
}

/** Descriptors that no connection gets: for the log, the sessions' files and the agents. */
const MAX_RESERVE = 256;
const RESERVE_SHARE = 0.25;

/** How many descriptors connections may use, as the limit of this process says. */
interface DescriptorShare {
  /** Connections, at the most. */
  readonly max: number;
  /** Whether accepting this connection has left the reserve alone. */
  fits(socket: Socket): boolean;
}

export function descriptorShare(limit = descriptorLimit()): DescriptorShare {
  const max = limit - Math.min(MAX_RESERVE, Math.floor(limit * RESERVE_SHARE));
  return {
    max,
    // A new descriptor is the lowest that is free, so that its number says how many are in use, whoever uses them.
    fits: (socket) => (descriptorOf(socket) ?? 0) < max,
  };
}

/** Infinity where there is none, or it can't be known. Node raises the soft limit to the hard one as it starts. */
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
