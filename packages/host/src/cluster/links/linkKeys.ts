import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { dropOldest } from '@agenthost/protocol/internal';

/** How a host shows another one that it can read the database they share: with the other's key, which is in no other place. */
const SCHEME = 'AgenthostLink';
/** Proofs that are remembered, so that none is accepted twice. A host makes a few links a minute. */
const MAX_REMEMBERED = 10_000;

export function newLinkKey(): string {
  return randomBytes(32).toString('base64url');
}

/** The header for a link from one host to another, whose key this is. Works once. */
export function linkProof(key: string, from: string, to: string): string {
  const nonce = randomBytes(16).toString('base64url');
  return `${SCHEME} ${from}.${nonce}.${proofOf(key, from, to, nonce)}`;
}

/** Checks the proofs of links to this host. */
export class LinkKeys {
  readonly #key: string;
  readonly #hostId: string;
  readonly #used = new Set<string>();

  constructor(key: string, hostId: string) {
    this.#key = key;
    this.#hostId = hostId;
  }

  /** The id of the host that connects; `undefined` without a valid proof. */
  identify({ authorization }: IncomingHttpHeaders): string | undefined {
    const [, from = '', nonce = '', proof = ''] =
      /^AgenthostLink ([\w-]{1,64})\.([\w-]{22})\.([\w-]{43})$/.exec(authorization ?? '') ?? [];
    const expected = Buffer.from(proofOf(this.#key, from, this.#hostId, nonce));
    const given = Buffer.from(proof);
    if (given.length !== expected.length || !timingSafeEqual(given, expected) || this.#used.has(nonce))
      return undefined;
    this.#used.add(nonce);
    dropOldest(this.#used, MAX_REMEMBERED);
    return from;
  }
}

function proofOf(key: string, from: string, to: string, nonce: string): string {
  return createHmac('sha256', key).update(`${from}>${to}:${nonce}`).digest('base64url');
}
