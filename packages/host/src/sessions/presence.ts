import type { Author } from '@agenthost/protocol';
import { sameValue } from '@agenthost/protocol/internal';
import type { Subscriber } from '../state/publisher.js';
import { MAX_LISTED_CLIENTS } from './sessionLimits.js';

/** How long changes are gathered: a thousand clients that reconnect at once must not cause a thousand actions. */
const GATHER_MS = 50;

/** The clients that are subscribed to a session, published when they changed. */
export class Presence {
  readonly #subscribers: () => readonly Subscriber[];
  readonly #tell: (clients: readonly Author[]) => void;
  #told: readonly Author[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(subscribers: () => readonly Subscriber[], tell: (clients: readonly Author[]) => void) {
    this.#subscribers = subscribers;
    this.#tell = tell;
  }

  changed(): void {
    this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS).unref();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #flush(): void {
    this.#timer = undefined;
    const authors = this.#subscribers().flatMap((subscriber) => subscriber.authors ?? [subscriber.author]);
    const clients = [...new Map(authors.map((author) => [author.clientId, author])).values()];
    const listed = clients.slice(0, MAX_LISTED_CLIENTS);
    if (sameValue(listed, this.#told)) return;
    this.#told = listed;
    this.#tell(listed);
  }
}
