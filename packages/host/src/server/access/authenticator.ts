import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { TOKEN_SUBPROTOCOL_PREFIX } from '@agenthost/protocol';
import { dropOldest } from '@agenthost/protocol/internal';
import type { Credential } from '../../connection/credential.js';
import { hasEnded } from './deviceToken.js';

/** How many wrong tokens of one address are remembered, and for how many addresses. */
const MAX_ADDRESSES = 1_000;
const MAX_DELAY_MS = 5_000;
const FIRST_DELAY_MS = 100;
/** Maximum number of requests that wait for their refusal; beyond it they are refused at once, with their connection. */
const MAX_WAITING = 64;

/** A token as its hash: the host stores no device token itself. */
export interface AcceptedToken {
  readonly credential: Credential;
  /** SHA-256. */
  readonly digest: Buffer;
}

/** Checks tokens in constant time, and makes guessing slow. */
export class Authenticator {
  #tokens: readonly AcceptedToken[] = [];
  readonly #failures = new Map<string, number>();
  #waiting = 0;

  setTokens(tokens: readonly AcceptedToken[]): void {
    this.#tokens = tokens;
  }

  /** The credential of the request's token; `undefined` without a known token, or with one that is for something else. */
  identify(headers: IncomingHttpHeaders, purpose?: Credential['only']): Credential | undefined {
    const presented = presentedToken(headers);
    return presented === undefined ? undefined : this.identifyToken(presented, purpose);
  }

  identifyToken(presented: string, purpose?: Credential['only']): Credential | undefined {
    const digest = digestOf(presented);
    let found: Credential | undefined;
    // Compares all of them, whether one matches or not: the time must not tell which.
    for (const token of this.#tokens) if (timingSafeEqual(token.digest, digest)) found = token.credential;
    // A token for one purpose opens nothing else.
    if (found?.only !== undefined && found.only !== purpose) return undefined;
    // The timer that ends a link may be late: after the machine has slept, say.
    return found && hasEnded(found) ? undefined : found;
  }

  succeeded(address: string): void {
    this.#failures.delete(address);
  }

  /** Resolves when a wrong token may be answered. False: too many wait already, end the connection. */
  async slowDown(address: string): Promise<boolean> {
    if (this.#waiting >= MAX_WAITING) return false;
    const failures = (this.#failures.get(address) ?? 0) + 1;
    this.#failures.delete(address);
    this.#failures.set(address, failures);
    dropOldest(this.#failures, MAX_ADDRESSES);
    this.#waiting++;
    const delay = Math.min(FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 10), MAX_DELAY_MS);
    await new Promise((resolve) => setTimeout(resolve, delay).unref());
    this.#waiting--;
    return true;
  }
}

/** From the header or, for pages, which can't set one, from the list of subprotocols. Never from the URL. */
function presentedToken({
  authorization,
  'sec-websocket-protocol': protocols,
}: IncomingHttpHeaders): string | undefined {
  const bearer = authorization?.match(/^Bearer (\S+)$/)?.[1];
  if (bearer !== undefined) return bearer;
  const offered = protocols?.split(',').map((protocol) => protocol.trim()) ?? [];
  const withToken = offered.find((protocol) => protocol.startsWith(TOKEN_SUBPROTOCOL_PREFIX));
  return withToken?.slice(TOKEN_SUBPROTOCOL_PREFIX.length);
}

export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
