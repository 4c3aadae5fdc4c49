import { lookup as resolve } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** What a push service answered. */
export interface PushAnswer {
  readonly status: number;
  /** How long it asks the host to wait. */
  readonly retryAfterMs?: number;
}

export interface PushRequest {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer;
}

/** Networks that are not the public internet. What is not in 2000::/3 is not public either. */
const PRIVATE_V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
];
/** Documentation, and ways to write an IPv4 address: Teredo and 6to4. */
const PRIVATE_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const privateV4 = listOf(PRIVATE_V4, 'ipv4');
const privateV6 = listOf(PRIVATE_V6, 'ipv6');
const publicV6 = listOf(['2000::/3'], 'ipv6');
const loopback = listOf(['127.0.0.0/8'], 'ipv4');

export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !privateV4.check(address, 'ipv4');
  return family === 6 && publicV6.check(address, 'ipv6') && !privateV6.check(address, 'ipv6');
}

export interface PushServicesOptions {
  /** Also this machine, without TLS. */
  readonly allowLoopback?: boolean;
  /** Also every other network, without TLS. */
  readonly allowAll?: boolean;
  readonly timeoutMs: number;
}

/**
 * Talks to push services, and to the receivers of webhooks. Somebody else chooses the address, so the host calls only public ones: the
 * address is checked as it is written, and again after its name was resolved, with the very address that is then connected to. No
 * redirect is followed.
 */
export class PushServices {
  readonly #allowLoopback: boolean;
  readonly #allowAll: boolean;
  readonly #timeoutMs: number;

  constructor({ allowLoopback = false, allowAll = false, timeoutMs }: PushServicesOptions) {
    this.#allowLoopback = allowLoopback;
    this.#allowAll = allowAll;
    this.#timeoutMs = timeoutMs;
  }

  /** Why the host won't send to this address, or `undefined`. A name that can't be resolved now may be later. */
  async refusal(endpoint: string): Promise<string | undefined> {
    const written = this.#writtenRefusal(endpoint);
    if (written !== undefined) return written;
    const host = hostOf(new URL(endpoint));
    if (isIP(host) !== 0) return undefined;
    const error = await new Promise<unknown>((done) => this.#lookup(host, { all: true }, done));
    return error instanceof ForbiddenAddressError ? error.message : undefined;
  }

  /** Rejects when no answer came: not reached, or not in time. */
  send({ endpoint, headers, body }: PushRequest, signal: AbortSignal): Promise<PushAnswer> {
    const refusal = this.#writtenRefusal(endpoint);
    if (refusal !== undefined) return Promise.reject(new ForbiddenAddressError(refusal));
    const url = new URL(endpoint);
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    const { promise, resolve: done, reject } = Promise.withResolvers<PushAnswer>();
    const sent = request(url, {
      method: 'POST',
      headers,
      // A connection of its own: none is kept for a service that hangs.
      agent: false,
      lookup: this.#lookup,
      signal: AbortSignal.any([signal, AbortSignal.timeout(this.#timeoutMs)]),
    });
    sent.on('response', (response) => {
      const retryAfterMs = secondsIn(response.headers['retry-after']);
      done({ status: response.statusCode ?? 0, ...(retryAfterMs !== undefined && { retryAfterMs }) });
      // Nothing of the body is of use, however long it is.
      response.on('error', () => {});
      response.destroy();
    });
    sent.on('error', reject);
    sent.end(body);
    return promise;
  }

  #writtenRefusal(endpoint: string): string | undefined {
    const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
    if (!url) return 'the endpoint is not an address';
    const host = hostOf(url);
    const isLoopback = this.#allowLoopback && isIP(host) === 4 && loopback.check(host, 'ipv4');
    const isAllowed = isLoopback || this.#allowAll;
    if (url.protocol !== 'https:' && !(isAllowed && url.protocol === 'http:')) return NO_TLS;
    if (url.username !== '' || url.password !== '') return 'the endpoint has a password in it';
    if (isIP(host) !== 0 && !isAllowed && !isPublicAddress(host)) return FORBIDDEN;
    return undefined;
  }

  /** All of the addresses must be public: which one is taken can't be foreseen. */
  readonly #lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const forbidden = addresses.some(({ address }) => !isPublicAddress(address) && !this.#isAllowedAddress(address));
      if (forbidden || addresses.length === 0) return callback(new ForbiddenAddressError(FORBIDDEN), []);
      if (options.all) return callback(null, addresses);
      const [first] = addresses;
      callback(null, first?.address ?? '', first?.family);
    });
  };

  #isAllowedAddress(address: string): boolean {
    if (this.#allowAll) return true;
    return this.#allowLoopback && isIP(address) === 4 && loopback.check(address, 'ipv4');
  }
}

const NO_TLS = 'the endpoint does not begin with https:';
const FORBIDDEN = 'the endpoint is not on the public internet; this host sends to no other one';

export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

/** An IPv6 address without its brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function listOf(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** `Retry-After` in seconds or as a date. */
function secondsIn(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
