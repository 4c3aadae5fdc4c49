import { type ClientAction, REJECTION } from '@agenthost/protocol';
import { originOf, type Subscriber } from '../state/publisher.js';
import { acceptedKey } from './acceptedSequences.js';
import type { MessageIntake, Taken } from './messageIntake.js';
import { type PreconditionContext, queueRefusal, refusal } from './preconditions.js';
import type { SessionStore } from './sessionStore.js';
import { turnIdIn, type UsedTurnIds } from './usedTurnIds.js';

export interface ClientActionsOptions extends Pick<PreconditionContext, 'models' | 'answeredBy' | 'wasSteered'> {
  readonly store: SessionStore;
  readonly intake: MessageIntake;
  readonly turnIds: UsedTurnIds;
  /** Of a session that is closed, whether it was removed. */
  readonly closed: () => 'removed' | 'unloaded' | undefined;
  /** Before an action is looked at: what was said before it is told before it. */
  readonly onTake: () => void;
}

/** What clients ask of one session: each action is accepted or refused, once and in its order. */
export class ClientActions {
  readonly #options: ClientActionsOptions;

  constructor(options: ClientActionsOptions) {
    this.#options = options;
  }

  dispatch(sender: Subscriber, clientSeq: number, sent: ClientAction): void {
    const action = withoutOrigin(sent);
    const { store, intake, turnIds, closed } = this.#options;
    const key = acceptedKey(originOf(sender, clientSeq));
    const turnId = turnIdIn(action);
    let isFound = false;
    const reason = () => this.#refusal(action, isFound);
    intake.pass(key, action, {
      isWanted: () => !closed() && clientSeq > store.accepted.highest(key) && reason() === undefined,
      isKnown: () => closed() !== undefined || turnId === undefined || turnIds.has(turnId) !== undefined,
      lookUp: async () => {
        if (turnId !== undefined) isFound = await turnIds.find(turnId);
      },
      take: (taken) => this.#take(sender, clientSeq, key, taken, reason),
    });
  }

  #take(sender: Subscriber, clientSeq: number, key: string, taken: Taken, refusalNow: () => string | undefined): void {
    const { store, closed, onTake } = this.#options;
    const { action } = taken;
    if (closed()) {
      // Removed while the action was waiting for it. Where it was only unloaded the client's connection has ended as well.
      if (closed() === 'removed') store.reject(sender, clientSeq, action, REJECTION.unknownSession);
      return;
    }
    onTake();
    if (clientSeq <= store.accepted.highest(key)) {
      store.repeat(sender, clientSeq, action);
      return;
    }
    const reason = refusalNow() ?? taken.refusal ?? queueRefusal(store.state, action);
    if (reason === undefined) store.accept(sender, clientSeq, action);
    else store.reject(sender, clientSeq, action, reason);
  }

  /** `isFound`: a turn of that id was found among those that had to be read. */
  #refusal(action: ClientAction, isFound: boolean): string | undefined {
    const { store, turnIds, models, answeredBy, wasSteered } = this.#options;
    const isTurnIdUsed = (turnId: string) => turnIds.has(turnId) ?? isFound;
    return refusal(action, { state: store.state, models, answeredBy, isTurnIdUsed, wasSteered });
  }
}

/** Which turns agents began is the host's word (TURN15). */
function withoutOrigin(action: ClientAction): ClientAction {
  if (action.type !== 'session/turnStarted' || action.origin === undefined) return action;
  const { origin: _, ...started } = action;
  return started;
}
