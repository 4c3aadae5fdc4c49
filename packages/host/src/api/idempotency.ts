import { hash } from 'node:crypto';
import type { Credential } from '../connection/credential.js';
import { idFrom } from './apiCall.js';
import { KEY_MS, type KeptAnswer, type KeyRecord, type KeyStore } from './keyStore.js';
import { Problem } from './problem.js';

/** How long another host may be at a request before it is taken for dead. */
const OTHER_HOST_MS = 60_000;
const KEY = /^[\x21-\x7e]{1,255}$/;

export interface Keyed {
  /** What ids are made from. */
  readonly seed: string;
  /** An earlier request may have been carried out. */
  readonly mayBeDone: boolean;
}

export interface KeyedRequest {
  readonly credential: Credential;
  /** The value of the header. */
  readonly key: string;
  /** All that the request asks for. */
  readonly content: string;
}

type Run = (keyed: Keyed) => Promise<KeptAnswer>;

interface Once {
  readonly answer: KeptAnswer;
  /** The answer to an earlier request with the same key. */
  readonly isRepeated: boolean;
}

/**
 * Carries out a request with an `Idempotency-Key` once. The answer of one that succeeded is kept. Where a killed host leaves open
 * whether it did, it runs again with the same ids, which the logs of the sessions know: they take nothing twice.
 */
export class Idempotency {
  readonly #open: () => Promise<KeyStore>;
  readonly #by: string;
  #store: Promise<KeyStore> | undefined;
  readonly #running = new Map<string, { readonly fingerprint: string; readonly outcome: Promise<Once> }>();

  constructor(open: () => Promise<KeyStore>, by: string) {
    this.#open = open;
    this.#by = by;
  }

  async once({ credential, key, content }: KeyedRequest, run: Run): Promise<Once> {
    if (!KEY.test(key))
      throw new Problem(400, 'invalidIdempotencyKey', 'The Idempotency-Key has 1 to 255 characters, without spaces.', {
        whatToDo: 'Send a random one, such as a UUID, the same for each repetition.',
      });
    const seed = `${credential.id}\0${key}`;
    const id = hash('sha256', seed);
    const fingerprint = hash('sha256', content);
    const running = this.#running.get(id);
    if (running && running.fingerprint !== fingerprint) throw otherRequest();
    if (running) return { answer: (await running.outcome).answer, isRepeated: true };
    const outcome = this.#once(id, seed, fingerprint, run).finally(() => this.#running.delete(id));
    this.#running.set(id, { fingerprint, outcome });
    return outcome;
  }

  async #once(id: string, seed: string, fingerprint: string, run: Run): Promise<Once> {
    const store = await this.#stored();
    const record: KeyRecord = { fingerprint, at: Date.now(), by: this.#by };
    const known = await store.claim(id, record);
    if (known && known.fingerprint !== fingerprint) throw otherRequest();
    if (known?.answer) return { answer: known.answer, isRepeated: true };
    if (known && store.isShared && known.by !== this.#by && Date.now() - known.at < OTHER_HOST_MS) throw inUse();
    // From here on other hosts wait for this one.
    if (known) await store.put(id, record);
    const answer = await run({ seed, mayBeDone: known !== undefined }).catch(async (error: unknown) => {
      // What was refused did not happen: the key is free for another attempt.
      if (!known && error instanceof Problem && error.status < 500) await store.remove(id);
      throw error;
    });
    await store.put(id, { ...record, answer });
    return { answer, isRepeated: false };
  }

  #stored(): Promise<KeyStore> {
    this.#store ??= this.#open().catch((error: unknown) => {
      this.#store = undefined;
      throw error;
    });
    return this.#store;
  }
}

/** Of a request without a key. */
export function unkeyed(): Keyed {
  return { seed: crypto.randomUUID(), mayBeDone: false };
}

/** The client that sends the actions of a request; sessions know which of them they have taken. */
export function clientIdOf({ seed }: Keyed): string {
  return `api-${idFrom(seed)}`;
}

function inUse(): Problem {
  return new Problem(409, 'idempotencyKeyInUse', 'A request with this Idempotency-Key is being carried out.', {
    whatToDo: 'Repeat it in a moment: you get the same answer.',
    headers: { 'retry-after': '1' },
  });
}

function otherRequest(): Problem {
  const hours = KEY_MS / 3_600_000;
  return new Problem(422, 'idempotencyKeyUsed', 'This Idempotency-Key came with another request before.', {
    whatToDo: `Use another one for another request; a key is remembered for ${hours} hours.`,
  });
}
