import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Credential } from '../../connection/credential.js';
import { type DescriptorShare, descriptorShare } from '../descriptors.js';
import type { GatheredWarnings } from '../gatheredWarnings.js';
import { ClientSlots } from './clientSlots.js';
import { GuestConnections, type GuestLimits, type Remote } from './guestConnections.js';
import { DEFAULT_REQUEST_LIMITS, UnansweredRequests } from './unansweredRequests.js';

export interface AdmissionOptions {
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
