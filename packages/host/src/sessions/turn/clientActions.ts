import { type ClientAction, type Refusal, refuse } from '@agenthost/protocol';
import { originOf, type Subscriber } from '../../state/publisher.js';
import { type PreconditionContext, queueRefusal, refusal } from '../preconditions.js';
import type { SessionStore } from '../sessionStore.js';
import { acceptedKey } from './acceptedSequences.js';
import type { MessageIntake, Taken } from './actionIntake.js';
import { turnIdIn, type UsedTurnIds } from './usedTurnIds.js';

export interface ClientActionsOptions extends Pick<PreconditionContext, 'models' | 'answeredBy' | 'wasSteered'> {
  readonly store: SessionStore;
  readonly intake: MessageIntake;
  readonly turnIds: UsedTurnIds;
  /** Of a session that is closed, whether it was removed. */
  readonly closed: () => 'removed' | 'unloaded' | undefined;
  /** Called before an action is judged, to publish what the agent said before it. */
  readonly onTake: () => void;
}

/** Takes the actions that clients dispatch to one session: each is accepted or refused once, in the order of its client. */
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

  #take(sender: Subscriber, clientSeq: number, key: string, taken: Taken, refusalNow: () => Refusal | undefined): void {
    const { store, closed, onTake } = this.#options;
    const { action } = taken;
    if (closed()) {
      // It was removed while the action waited. A session with waiting actions is unloaded only when the host ends.
      if (closed() === 'removed') store.reject(sender, clientSeq, action, refuse('unknownSession'));
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
  #refusal(action: ClientAction, isFound: boolean): Refusal | undefined {
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
