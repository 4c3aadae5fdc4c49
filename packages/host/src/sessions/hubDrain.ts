import { ERROR_CODE, type URI } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import type { LoadedSessions } from './loadedSessions.js';
import type { Session } from './session.js';
import type { SessionServices } from './sessionServices.js';
import type { HandedOver } from './sessionStore.js';
import type { SummaryNotifier } from './summaryNotifier.js';

const MOVED = 'the session is at another host now';

/** What it shares with the hub. */
export interface HubDrainDeps {
  /** The sessions that are loaded. */
  readonly sessions: ReadonlyMap<URI, Session>;
  readonly loaded: () => LoadedSessions;
  readonly notifier: SummaryNotifier;
  readonly unload: (uri: URI, session: Session) => Promise<void>;
}

/** How a host gives its sessions to others, all of them when it is about to stop. */
export class HubDrain {
  readonly #services: Pick<SessionServices, 'delivery' | 'log'>;
  readonly #deps: HubDrainDeps;
  #hasBegun = false;
  /** Takes care of clients of this host whose session goes to another one. */
  onSentAway: (session: Session, handedOver: HandedOver) => void = (_, { clients }) => {
    for (const client of clients) client.cutOff(MOVED);
  };

  constructor(services: Pick<SessionServices, 'delivery' | 'log'>, deps: HubDrainDeps) {
    this.#services = services;
    this.#deps = deps;
  }

  /** No session that is loaded has a turn or anything else at work. */
  get isAtRest(): boolean {
    return [...this.#deps.sessions.values()].every(({ isAtRest }) => isAtRest);
  }

  /** No new sessions from now on, and no turn that nobody asks for now. */
  begin(): void {
    this.#hasBegun = true;
    for (const session of this.#deps.sessions.values()) session.stopAfterTurn();
  }

  /** Throws the error to answer when a session would be made here. */
  mustTakeNew(): void {
    if (!this.#hasBegun) return;
    throw stopping();
  }

  /**
   * Gives sessions to other hosts, as far as they are at rest and `mayGo`: who looks on finds them there.
   * `onGone` is called for those with a message that waits for its turn: somebody has to open them.
   */
  async release(mayGo: (session: Session) => boolean, onGone: (uri: URI) => void): Promise<void> {
    const { delivery, log } = this.#services;
    const { sessions, loaded, notifier } = this.#deps;
    const chosen = [...sessions].filter(([, session]) => mayGo(session));
    if (chosen.length === 0) return;
    // What was said last is told here.
    await delivery.drained();
    for (const [uri, session] of chosen) {
      if (sessions.get(uri) !== session || loaded().isHeld(uri) || !session.isAtRest) continue;
      const { hasNext } = session;
      notifier.provisional.delete(uri);
      this.#sendAway(session)
        .then(() => hasNext && onGone(uri))
        .catch((error: unknown) => log.error(`${uri} could not be given to another host`, error));
    }
  }

  /** Gives a session to the host that asks for it, if this one has it. Rejects with the error to answer when it is at work. */
  async giveTo(uri: URI, hostId: string): Promise<void> {
    const { sessions, loaded, notifier } = this.#deps;
    const session = sessions.get(uri);
    if (!session) return;
    // What was said last is told here.
    await this.#services.delivery.drained();
    if (sessions.get(uri) !== session) return;
    if (loaded().isHeld(uri) || !session.isAtRest) {
      throw new RpcError(ERROR_CODE.turnInProgress, `${uri} is at work: try again when its turn has ended`);
    }
    notifier.provisional.delete(uri);
    session.stored.giveTo?.(hostId);
    await this.#sendAway(session);
  }

  async #sendAway(session: Session): Promise<void> {
    const handedOver = session.sendAway();
    const unloading = this.#deps.unload(session.uri, session);
    // Who opens it now waits until it is unloaded.
    this.onSentAway(session, handedOver);
    await unloading;
  }
}

export function stopping(): RpcError {
  return new RpcError(ERROR_CODE.tooManyRequests, 'this host is about to stop: connect to another one and try again');
}
