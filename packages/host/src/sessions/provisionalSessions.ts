import type { SessionState, URI } from '@agenthost/protocol';
import type { FoldedLog } from './history/foldLog.js';

/** Sessions that nobody is told of before their first message (rules PROV1 and PROV2). */
export class ProvisionalSessions {
  readonly #uris = new Set<URI>();

  add(uri: URI): void {
    this.#uris.add(uri);
  }

  has(uri: URI): boolean {
    return this.#uris.has(uri);
  }

  /** True when it was one. */
  delete(uri: URI): boolean {
    return this.#uris.delete(uri);
  }

  all(): URI[] {
    return [...this.#uris];
  }
}

/** What a log says is a provisional session, and still is one. */
export function isProvisional({ start, state }: Pick<FoldedLog, 'start' | 'state'>): boolean {
  return start.provisional === true && !hasMessage(state);
}

export function hasMessage(state: SessionState): boolean {
  const { turns, earlierTurns = 0, activeTurn, steeringMessage, queuedMessages } = state;
  return turns.length + earlierTurns > 0 || Boolean(activeTurn || steeringMessage || queuedMessages);
}
