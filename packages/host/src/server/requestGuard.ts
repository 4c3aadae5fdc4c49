import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback, isWildcard } from './networkAddress.js';

export interface RequestGuardOptions {
  /** Exact `Host` values, with the port. */
  readonly hosts: readonly string[];
  /** Exact `Origin` values, with the port. */
  readonly origins: readonly string[];
}

export interface Refusal {
  readonly status: number;
  readonly reason: string;
  /** Refused for its origin only. */
  readonly isOrigin?: true;
}

/** Of a close frame, which has no room for more. */
const MAX_REASON_BYTES = 123;

/**
 * Which requests are processed at all. Loopback is no boundary: every website that the user visits can send requests here, and
 * an attacker's name can point here (DNS rebinding).
 */
export class RequestGuard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  constructor({ hosts, origins }: RequestGuardOptions) {
    this.#hosts = new Set(hosts.map((host) => host.toLowerCase()));
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase()));
  }

  check(headers: IncomingHttpHeaders): Refusal | undefined {
    const { host, origin } = headers;
    if (host === undefined || !this.#hosts.has(host.toLowerCase())) {
      return { status: 403, reason: 'This host is not served here. Use the link that agenthost printed.' };
    }
    if (origin !== undefined && !this.#origins.has(origin.toLowerCase())) {
      return { status: 403, reason: originReason(origin), isOrigin: true };
    }
    return undefined;
  }

  /** For sockets: a client without `Origin` is no browser and can send a header; other clients must be known pages. */
  checkUpgrade(headers: IncomingHttpHeaders): Refusal | undefined {
    const refusal = this.check(headers);
    if (refusal) return refusal;
    if (headers.origin === undefined && !headers.authorization?.startsWith('Bearer ')) {
      return { status: 401, reason: 'Without an Origin, a bearer token in the Authorization header is needed.' };
    }
    return undefined;
  }
}

/** With the flag as it has to be given, so that it can be copied. What is not an origin, or is too long, is not repeated. */
function originReason(origin: string): string {
  const reason = (value: string) =>
    `This origin is not allowed. Start agenthost with --allow-origin${value} to allow it.`;
  const isOrigin = URL.canParse(origin) && new URL(origin).origin === origin;
  const whole = reason(isOrigin ? ` ${origin}` : '');
  return Buffer.byteLength(whole) <= MAX_REASON_BYTES ? whole : reason('');
}

/** The valid `Host` values for a server on this address, which may have other names. */
export function hostsOf(
  address: string,
  port: number,
  publicUrl: URL | undefined,
  otherNames: readonly string[] = [],
): string[] {
  const name = address.includes(':') ? `[${address}]` : address;
  const loopback = ['127.0.0.1', 'localhost', '[::1]'];
  const names = isLoopback(address) || isWildcard(address) ? loopback : [];
  const own = isWildcard(address) ? [] : [name];
  const all = [...new Set([...own, ...names, ...otherNames])].map((host) => `${host}:${port}`);
  return publicUrl ? [...all, publicUrl.host] : all;
}
