import {
  ACTION_INTRODUCED_IN,
  type ActionEnvelope,
  type ClientAction,
  ERROR_CODE,
  errorMessage,
  isClientDispatchable,
  type Refusal,
  refuse,
  type URI,
} from '@agenthost/protocol';
import { SCHEMAS } from '@agenthost/protocol/schemas';
import { RpcError } from '@agenthost/rpc';
import { describeIssues } from '../describeIssues.js';
import type { Session } from '../sessions/session.js';
import { originOf, type Publisher, type SequenceSource, type Subscriber } from '../state/publisher.js';

export interface ClientDispatchOptions {
  readonly loaded: (uri: URI) => Session | undefined;
  /** Opens a session, and keeps it in memory until `work` has run. */
  readonly use: (uri: URI, work: (session: Session) => void) => Promise<void>;
  readonly publisher: Publisher;
  readonly sequence: SequenceSource;
}

/** Takes what a client dispatched to its session, which checks the rest. */
export class ClientDispatch {
  readonly #options: ClientDispatchOptions;

  constructor(options: ClientDispatchOptions) {
    this.#options = options;
  }

  dispatch(sender: Subscriber, clientSeq: number, action: ClientAction): void {
    const loaded = this.#options.loaded(action.session);
    if (loaded) {
      loaded.dispatchFromClient(sender, clientSeq, action);
      return;
    }
    // Actions that wait for the same session keep their order: they wait for the same promise.
    this.#options
      .use(action.session, (session) => session.dispatchFromClient(sender, clientSeq, action))
      .catch((error: unknown) => this.reject(sender, clientSeq, action, openingFailed(error)));
  }

  reject(sender: Subscriber, clientSeq: number, raw: object, refusal: Refusal): void {
    const origin = originOf(sender, clientSeq);
    // The action goes back as it came, well-formed or not: its sender knows it.
    const action = raw as ActionEnvelope['action'];
    const serverSeq = this.#options.sequence.current;
    this.#options.publisher.reject(sender, { action, serverSeq, origin, ...refusal });
  }
}

/** Why an action can't be taken whatever its session says: clients may not dispatch it, or it is not well-formed. */
export function shapeRefusal(raw: { readonly type: string }): Refusal {
  if (!isClientDispatchable(raw.type)) {
    return Object.hasOwn(ACTION_INTRODUCED_IN, raw.type) ? refuse('notDispatchable') : refuse('unknownAction');
  }
  const issues = SCHEMAS.ClientAction.safeParse(raw).error?.issues ?? [];
  return refuse('invalidAction', { detail: describeIssues(issues, 'action') });
}

function openingFailed(error: unknown): Refusal {
  if (error instanceof RpcError && error.code === ERROR_CODE.sessionNotFound) return refuse('unknownSession');
  return refuse('sessionNotOpened', { detail: errorMessage(error) });
}
