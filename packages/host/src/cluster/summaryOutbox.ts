import type { Notification, URI } from '@agenthost/protocol';
import type { NotifyParams } from './links/linkMessages.js';

/** Sessions whose changes may wait for one host. */
const MAX_WAITING = 10_000;
/** Of one message. */
const MAX_AT_ONCE = 200;

export interface SummaryOutboxOptions {
  /** Resolves when the other host has taken them. */
  readonly send: (items: readonly NotifyParams[]) => Promise<unknown>;
  /** Called when the other host does not take them, or far too slowly. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * What another host has to be told of the list of sessions. One message is on its way at a time; what changes meanwhile is gathered,
 * one entry a session, so that a slow host gets fewer messages and not a longer queue.
 */
export class SummaryOutbox {
  readonly #options: SummaryOutboxOptions;
  readonly #waiting = new Map<URI, NotifyParams>();
  #isSending = false;

  constructor(options: SummaryOutboxOptions) {
    this.#options = options;
  }

  put(resource: URI, params: NotifyParams): void {
    this.#waiting.set(resource, merged(this.#waiting.get(resource), params));
    if (this.#waiting.size > MAX_WAITING) {
      this.clear();
      this.#options.onFailure(new Error('it does not take what it is told'));
    } else if (!this.#isSending) void this.#sendAll();
  }

  /** The session was removed, which is told in another way. */
  remove(resource: URI): void {
    this.#waiting.delete(resource);
  }

  clear(): void {
    this.#waiting.clear();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    try {
      while (this.#waiting.size > 0) {
        const some = [...this.#waiting.keys()].slice(0, MAX_AT_ONCE);
        const items = some.flatMap((resource) => this.#waiting.get(resource) ?? []);
        for (const resource of some) this.#waiting.delete(resource);
        await this.#options.send(items);
      }
    } catch (error) {
      this.clear();
      this.#options.onFailure(error);
    } finally {
      this.#isSending = false;
    }
  }
}

/** One notification that says what both say. */
function merged(before: NotifyParams | undefined, after: NotifyParams): NotifyParams {
  const [first, second] = [before?.notification, after.notification];
  if (!first || second.type !== 'notify/sessionSummaryChanged') return after;
  if (first.type === 'notify/sessionAdded') {
    return after.summary ? { space: after.space, notification: { ...first, summary: after.summary } } : after;
  }
  if (first.type !== 'notify/sessionSummaryChanged') return after;
  const notification: Notification = { ...second, changes: { ...first.changes, ...second.changes } };
  return { ...after, notification };
}
