import type { Author, ClientAction, FormSecrets, SessionState, UserMessage } from '@agenthost/protocol';
import { dropOldest, errorMessage, type Refusal, refuse, withoutSecrets } from '@agenthost/protocol/internal';
import type { ToolInput } from '../../agents/agent.js';
import { originOf, type Subscriber } from '../../state/publisher.js';
import { ContentRefused, PastedContent } from '../content/pastedContent.js';
import { type PreconditionContext, queueRefusal, refusal } from '../preconditions.js';
import type { SessionStore } from '../sessionStore.js';
import { acceptedKey } from './acceptedSequences.js';
import { wordsRefusal } from './commentRefusal.js';
import { notStored } from './notStored.js';

/** Bytes of messages of one session that may wait for their content to be stored. More are rejected. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
/** What an action without large content counts while it waits. */
const SMALL_BYTES = 1_024;
const MAX_REMEMBERED_ANSWERS = 200;
const MAX_REMEMBERED_STEERING = 1_000;

export interface ActionIntakeOptions {
  readonly store: Pick<SessionStore, 'state' | 'accepted' | 'accept' | 'reject' | 'repeat'>;
  readonly models: PreconditionContext['models'];
  /** Where its machines are, when none of them is here. */
  readonly away?: string | undefined;
  readonly pasted: Pick<PastedContent, 'keep'>;
  /** Whether the session had that turn; `undefined` when the index does not know. Only asked about turns that are not in memory. */
  readonly isTurnIndexed: (turnId: string) => boolean | undefined;
  /** Reads the log for a turn that is older than those in memory. */
  readonly isTurnStored: (turnId: string, earlierTurns: number) => Promise<boolean>;
  /** Gives input to a running call; returns why that was not possible. */
  readonly giveInput: (toolCallId: string, input: ToolInput) => Refusal | undefined;
  /** Set once the session is closed. */
  readonly closed: () => 'removed' | 'unloaded' | undefined;
  /** Called before an action is decided, to publish what the agent wrote before it. */
  readonly beforeDecision: () => void;
  readonly onError: (error: unknown) => void;
}

/** One action of a client, on its way through the intake. */
interface IncomingAction {
  readonly sender: Subscriber;
  readonly clientSeq: number;
  /** Identifies the client under its token. */
  readonly key: string;
  readonly action: ClientAction;
  /** What a user typed, which is not in `action` any more (VAL10). */
  readonly typed: string | undefined;
  /** What only the agent may get; `action` has none of it. */
  readonly secrets: FormSecrets | undefined;
  /** The log has a turn with the id of the one that it starts. */
  isTurnFound: boolean;
}

interface IntakeResult {
  /** As it goes into the state. */
  readonly action: ClientAction;
  /** Why it can't be accepted. */
  readonly refusal?: Refusal;
}

/**
 * Takes the actions that clients dispatch to one session: each is accepted or rejected once, in the order of its client. Most are
 * decided at once. An action with large content waits until that is stored, one whose turn id has to be looked up in the log waits
 * for that, and the later actions of the same client wait behind it; other clients don't wait.
 */
export class ActionIntake {
  readonly #options: ActionIntakeOptions;
  readonly #waiting = new Map<string, Promise<void>>();
  #waitingBytes = 0;
  /** Who answered which request, for the client whose answer comes second. */
  readonly #answers = new Map<string, { readonly by?: Author }>();
  readonly #steered = new Set<string>();
  #accepting: FormSecrets | undefined;

  constructor(options: ActionIntakeOptions) {
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#waiting.size > 0;
  }

  dispatch(sender: Subscriber, clientSeq: number, sent: ClientAction): void {
    const key = acceptedKey(originOf(sender, clientSeq));
    const incoming: IncomingAction = {
      sender,
      clientSeq,
      key,
      ...privateApart(withoutOrigin(sent)),
      isTurnFound: false,
    };
    const { action } = incoming;
    const load = 'userMessage' in action ? PastedContent.loadOf(action.userMessage) : undefined;
    const before = this.#waiting.get(key);
    if (!before && this.#canDecide(incoming) && (load === undefined || !this.#isWanted(incoming))) {
      this.#decide(incoming, { action });
      return;
    }
    const bytes = (load ?? 0) + SMALL_BYTES;
    if (this.#waitingBytes + bytes > MAX_WAITING_BYTES) {
      this.#decide(incoming, { action, refusal: refuse('contentBusy') });
      return;
    }
    this.#waitingBytes += bytes;
    const passing = (before ?? Promise.resolve())
      .then(async () => {
        const kept = load !== undefined && this.#isWanted(incoming) ? await this.#keepContent(action) : { action };
        const result = this.#canDecide(incoming) ? kept : await this.#lookUpTurn(incoming, kept);
        this.#waitingBytes -= bytes;
        // Before the decision: an action that comes from within it does not wait behind this one.
        if (this.#waiting.get(key) === passing) this.#waiting.delete(key);
        this.#decide(incoming, result);
      })
      .catch(this.#options.onError);
    this.#waiting.set(key, passing);
  }

  /** The secrets of the answer that is being accepted, for the agent alone. */
  get secrets(): FormSecrets | undefined {
    return this.#accepting;
  }

  /** A later answer to the request is rejected with this name. */
  rememberAnswer(requestId: string, by: Author | undefined): void {
    this.#answers.set(requestId, by ? { by } : {});
    dropOldest(this.#answers, MAX_REMEMBERED_ANSWERS);
  }

  /** The agent took the steering message in. */
  rememberSteering(id: string): void {
    this.#steered.add(id);
    dropOldest(this.#steered, MAX_REMEMBERED_STEERING);
  }

  /** Resolves when no action waits any more. */
  async settled(): Promise<void> {
    while (this.isBusy) await Promise.allSettled(this.#waiting.values());
  }

  #decide(incoming: IncomingAction, result: IntakeResult): void {
    const { sender, clientSeq, key, typed, secrets } = incoming;
    const { store, closed, beforeDecision } = this.#options;
    const { action } = result;
    if (closed()) {
      // It was removed while the action waited. A session with waiting actions is unloaded only when the host ends.
      if (closed() === 'removed') store.reject(sender, clientSeq, action, refuse('unknownSession'));
      return;
    }
    beforeDecision();
    if (clientSeq <= store.accepted.highest(key)) {
      store.repeat(sender, clientSeq, action);
      return;
    }
    const reason =
      this.#refusal(incoming, action) ??
      result.refusal ??
      queueRefusal(store.state, action) ??
      this.#giveInput(action, typed);
    if (reason !== undefined) {
      store.reject(sender, clientSeq, action, reason);
      return;
    }
    this.#accepting = secrets;
    try {
      store.accept(sender, clientSeq, action);
    } finally {
      this.#accepting = undefined;
    }
  }

  /** Last, when nothing else can refuse it: what a program has read can't be taken back. */
  #giveInput(action: ClientAction, text: string | undefined): Refusal | undefined {
    if (action.type !== 'session/toolInput') return undefined;
    return this.#options.giveInput(action.toolCallId, { kind: action.kind, ...(text !== undefined && { text }) });
  }

  /** Whether it would be accepted by what is known now. The content of other actions is not stored. */
  #isWanted(incoming: IncomingAction): boolean {
    const { action, clientSeq, key } = incoming;
    const { store, closed } = this.#options;
    const isNew = !closed() && clientSeq > store.accepted.highest(key);
    return isNew && this.#refusal(incoming, action) === undefined;
  }

  #canDecide({ action }: IncomingAction): boolean {
    const turnId = turnIdIn(action);
    return this.#options.closed() !== undefined || turnId === undefined || this.#hasTurn(turnId) !== undefined;
  }

  #refusal({ isTurnFound, secrets, sender, action: sent }: IncomingAction, action: ClientAction): Refusal | undefined {
    const { store, models, away } = this.#options;
    const decided = refusal(secrets ? ({ ...action, secrets } as ClientAction) : action, {
      state: store.state,
      sender,
      away,
      models,
      isTurnIdUsed: (turnId) => this.#hasTurn(turnId) ?? isTurnFound,
      wasSteered: (id) => this.#steered.has(id),
      answeredBy: (requestId) => this.#answers.get(requestId),
    });
    // As it was sent: a long message has been stored meanwhile, and has only its head and its tail here.
    return decided ?? ('comments' in sent ? wordsRefusal(store.state, sent) : undefined);
  }

  /** `undefined`: the log has to be read. */
  #hasTurn(turnId: string): boolean | undefined {
    const { turns, activeTurn, earlierTurns = 0 }: SessionState = this.#options.store.state;
    if (activeTurn?.id === turnId || turns.some(({ id }) => id === turnId)) return true;
    return earlierTurns > 0 ? this.#options.isTurnIndexed(turnId) : false;
  }

  async #lookUpTurn(incoming: IncomingAction, result: IntakeResult): Promise<IntakeResult> {
    const { store, isTurnStored } = this.#options;
    const turnId = turnIdIn(incoming.action);
    try {
      if (turnId !== undefined) incoming.isTurnFound = await isTurnStored(turnId, store.state.earlierTurns ?? 0);
      return result;
    } catch (error) {
      return { refusal: refuse('notChecked', { detail: errorMessage(error) }), ...result };
    }
  }

  /** Stores the large content of a message. */
  async #keepContent(action: ClientAction): Promise<IntakeResult> {
    const { userMessage } = action as ClientAction & { readonly userMessage: UserMessage };
    try {
      return { action: { ...action, userMessage: await this.#options.pasted.keep(userMessage) } as ClientAction };
    } catch (error) {
      return { action, refusal: error instanceof ContentRefused ? error.refusal : notStored(error) };
    }
  }
}

/** Only the host says which turns agents began (TURN15). */
function withoutOrigin(action: ClientAction): ClientAction {
  if (action.type !== 'session/turnStarted' || action.origin === undefined) return action;
  const { origin: _, ...started } = action;
  return started;
}

/**
 * What a user types goes to the program only, and secrets of a form to the agent only: from here on nothing else has them, neither the
 * state, the log, an envelope nor a fingerprint.
 */
function privateApart(action: ClientAction): Pick<IncomingAction, 'action' | 'typed' | 'secrets'> {
  if (action.type === 'session/toolInput') {
    const { text: typed, ...given } = action;
    return { action: given, typed, secrets: undefined };
  }
  if (action.type !== 'session/permissionResolved') return { action, typed: undefined, secrets: undefined };
  return { action: withoutSecrets(action), typed: undefined, secrets: action.secrets };
}

/** The id of the turn that an action starts, or of the message that becomes one. */
function turnIdIn(action: ClientAction): string | undefined {
  if (action.type === 'session/turnStarted') return action.turnId;
  return action.type === 'session/pendingMessageSet' ? action.id : undefined;
}
