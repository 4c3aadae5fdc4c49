import { type HostClient, SessionGoneError, type SessionHandle } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import { NotSupportedError } from '../errors.js';
import type { DeleteSessionOptions } from '../providers/sessionsProvider.js';
import type { SessionCatalogue } from './sessionCatalogue.js';

/** Subscriptions are few on a host, and archiving a thousand sessions at once must leave some for what is looked at. */
const AT_ONCE = 8;
const MAX_WAITING = 10_000;

/** Runs actions on chats that are not open: each is opened for as long as its action takes. */
export class ChatActions {
  readonly #host: HostClient;
  readonly #catalogue: SessionCatalogue;
  readonly #limiter = new Limiter(AT_ONCE, MAX_WAITING);

  constructor(host: HostClient, catalogue: SessionCatalogue) {
    this.#host = host;
    this.#catalogue = catalogue;
  }

  async run(uris: readonly URI[], action: (session: SessionHandle) => Promise<void>): Promise<void> {
    const outcomes = await Promise.allSettled(uris.map((uri) => this.#limiter.run(() => this.#runOne(uri, action))));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async deleteAll(uris: readonly URI[], { agentCopy }: DeleteSessionOptions = {}): Promise<void> {
    const how = { ...(agentCopy && { agentCopy }) };
    const deleteOne = (uri: URI) => this.#forgetting(uri, () => this.#host.disposeSession(uri, how));
    const outcomes = await Promise.allSettled(uris.map((uri) => this.#limiter.run(() => deleteOne(uri))));
    const gone = uris.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    // The host announces it too, but the caller could still find the session until then.
    this.#catalogue.remove(gone);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #runOne(uri: URI, action: (session: SessionHandle) => Promise<void>): Promise<void> {
    await this.#forgetting(uri, async () => {
      const session = await this.#host.openSession(uri, { turns: 1 });
      try {
        await action(session);
        this.#catalogue.put([session.confirmed.value.summary]);
      } finally {
        session.close();
      }
    });
  }

  async #forgetting(uri: URI, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (error instanceof SessionGoneError) this.#catalogue.remove([uri]);
      throw error;
    }
  }
}

/** Lets so many run at once and so many wait. */
class Limiter {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atOnce: number, maxWaiting: number) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
  }

  async run<T>(action: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running++;
    else {
      if (this.#waiting.length >= this.#maxWaiting) {
        throw new NotSupportedError(
          `${this.#maxWaiting} actions wait for the host already; wait until it has answered`,
        );
      }
      // An action that ends passes its place on, so the count stays.
      await new Promise<void>((start) => this.#waiting.push(start));
    }
    try {
      return await action();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
