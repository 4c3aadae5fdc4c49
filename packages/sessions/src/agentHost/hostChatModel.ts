import {
  ClientClosedError,
  CommandTimeoutError,
  ConnectionLostError,
  type Content,
  type EarlierSteps,
  type EarlierStepsOptions,
  type ExportOptions,
  type FetchContentOptions,
  type HostClient,
  type Interruption,
  type Message,
  type Observable,
  OriginRefusedError,
  type PendingConfirmation,
  type PendingPermission,
  type PermissionAnswer,
  ReplacedError,
  SessionGoneError,
  type SessionHandle,
  type ToolCallInput,
  UnauthorizedError,
  UnsupportedVersionError,
} from '@agenthost/client';
import { exportSession } from '@agenthost/client/internal';
import {
  type ActiveTurn,
  type Artifact,
  DEFAULT_SNAPSHOT_TURNS,
  type SessionState,
  type ToolCallState,
  type Turn,
  type UserMessage,
} from '@agenthost/protocol';
import {
  CHAT_FEATURES,
  type ChatFeature,
  type ChatModel,
  type ChatPhase,
  type ChatReview,
  type ConfirmationAnswer,
  type OpenChatOptions,
} from '../chat/chatModel.js';
import type { UnsentKind, UnsentMessages } from '../chat/unsentMessages.js';
import { NotSupportedError } from '../errors.js';
import { computed, observable, tracked } from '../observable.js';
import type { URI } from '../session.js';
import { answerConfirmation, answerPermission, isRejectedFor } from './answerPrompt.js';
import { chatReviewOf } from './chatReview.js';
import { PatientOpening } from './patientOpening.js';

interface HostChatModelOptions extends OpenChatOptions {
  readonly host: HostClient;
  readonly uri: URI;
  readonly resource: URI;
  /** Remembers what was sent until the host has answered. */
  readonly unsent?: UnsentMessages | undefined;
}

interface Opened {
  readonly session: SessionHandle;
  readonly state: Observable<SessionState>;
  readonly confirmed: Observable<SessionState>;
  readonly confirmations: Observable<readonly PendingConfirmation[]>;
  readonly permissions: Observable<readonly PendingPermission[]>;
  readonly gone: Observable<SessionGoneError | undefined>;
  readonly interrupted: Observable<Interruption | undefined>;
}

const NONE: readonly never[] = [];

/** An open session of the host; subscribed from its creation until it is disposed. */
export class HostChatModel implements ChatModel {
  readonly resource: URI;
  readonly supports: ReadonlySet<ChatFeature> = new Set(CHAT_FEATURES);
  readonly phase: Observable<ChatPhase>;
  readonly state: Observable<SessionState | undefined>;
  readonly confirmed: Observable<SessionState | undefined>;
  readonly confirmations: Observable<readonly PendingConfirmation[]>;
  readonly permissions: Observable<readonly PendingPermission[]>;
  readonly #options: HostChatModelOptions;
  readonly #opened = observable<Opened | undefined>(undefined);
  readonly #failure = observable<{ readonly error: unknown } | undefined>(undefined);
  readonly #closing = new AbortController();
  readonly #patience: PatientOpening;
  readonly #opening: Promise<SessionHandle>;
  readonly #deliveries = new Set<Promise<unknown>>();
  #isDisposed = false;

  constructor(options: HostChatModelOptions) {
    this.#options = options;
    this.resource = options.resource;
    const of = <T>(read: (opened: Opened) => T, otherwise: T) =>
      computed(() => (this.#opened.value ? read(this.#opened.value) : otherwise));
    this.state = of<SessionState | undefined>(({ state }) => state.value, undefined);
    this.confirmed = of<SessionState | undefined>(({ confirmed }) => confirmed.value, undefined);
    this.confirmations = of(({ confirmations }) => confirmations.value, NONE);
    this.permissions = of(({ permissions }) => permissions.value, NONE);
    this.phase = computed((): ChatPhase => this.#phase(), samePhase);
    const { host, uri, turns } = options;
    const open = turns === undefined ? {} : { turns };
    this.#patience = new PatientOpening({ host, uri, open, signal: this.#closing.signal });
    this.#opening = this.#open();
    // Methods reject with it, and `phase` shows it.
    this.#opening.catch(() => {});
  }

  async opened(): Promise<void> {
    await this.#opening;
  }

  retryNow(): void {
    this.#patience.retryNow();
    this.#options.host.retryNow();
  }

  readonly review: ChatReview = chatReviewOf(() => this.#opening);

  submit(message: Message, id: string = crypto.randomUUID()): Promise<string> {
    return this.#deliver('send', id, message);
  }

  steer(message: Message, id: string = crypto.randomUUID()): Promise<string> {
    return this.#deliver('steer', id, message);
  }

  async editPending(id: string, message: Message): Promise<void> {
    await this.#deliver('edit', id, message);
  }

  async confirm(turnId: string, toolCallId: string, answer: ConfirmationAnswer): Promise<void> {
    await answerConfirmation(await this.#opening, turnId, toolCallId, answer);
  }

  async answer(turnId: string, requestId: string, answer: PermissionAnswer): Promise<void> {
    await answerPermission(await this.#opening, turnId, requestId, answer);
  }

  async sendInput(toolCallId: string, input: ToolCallInput): Promise<void> {
    await (await this.#opening).sendInput(toolCallId, input);
  }

  async removePending(id: string): Promise<void> {
    await (await this.#opening).removePending(id);
  }

  async reorderQueue(order: readonly string[]): Promise<void> {
    await (await this.#opening).reorderQueue(order);
  }

  async cancel(options?: { readonly holdQueue?: boolean }): Promise<void> {
    await (await this.#opening).cancel(options);
  }

  async resumeQueue(): Promise<void> {
    await (await this.#opening).resumeQueue();
  }

  async rename(title: string): Promise<void> {
    await (await this.#opening).rename(title);
  }

  async setModel(modelId: string): Promise<void> {
    await (await this.#opening).setModel(modelId);
  }

  async chooseSetting(setting: string, value: string): Promise<void> {
    await (await this.#opening).chooseSetting(setting, value);
  }

  async markRead(isRead = true): Promise<void> {
    await (await this.#opening).markRead(isRead);
  }

  async archive(isArchived = true): Promise<void> {
    await (await this.#opening).archive(isArchived);
  }

  async revokeApproval(approvalId: string): Promise<void> {
    await (await this.#opening).revokeApproval(approvalId);
  }

  async toggleCustomization(uri: URI, enabled: boolean): Promise<void> {
    await (await this.#opening).toggleCustomization(uri, enabled);
  }

  async loadEarlierTurns(limit?: number): Promise<number> {
    return (await this.#opening).loadEarlierTurns(limit);
  }

  trimTurns(keep: number): void {
    this.#opened.value?.session.trimTurns(keep);
  }

  async wholeMessage(message: UserMessage): Promise<UserMessage> {
    return (await this.#opening).wholeMessage(message);
  }

  /** All of what a tool call was given: `state` only refers to what is large. To show it to the person who approves it. */
  async wholeInput(call: ToolCallState): Promise<string> {
    return (await this.#opening).wholeInput(call);
  }

  /** A page of the parts that a turn had before those that `state` has of it. */
  async earlierSteps(turn: ActiveTurn | Turn, options?: EarlierStepsOptions): Promise<EarlierSteps> {
    return (await this.#opening).earlierSteps(turn, options);
  }

  fetchContent(uri: URI, options?: FetchContentOptions): Promise<Content> {
    return this.#options.host.fetchContent(uri, options);
  }

  async listArtifacts(limit: number): Promise<readonly Artifact[]> {
    const found: Artifact[] = [];
    for await (const artifact of (await this.#opening).artifacts()) {
      found.push(artifact);
      if (found.length >= limit) break;
    }
    return found;
  }

  async *exported(options: ExportOptions): AsyncGenerator<string, void, undefined> {
    const session = await this.#opening;
    await this.#options.host.devices.noteExport({ session: session.uri, format: options.format });
    yield* exportSession(session, options);
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    void Promise.allSettled(this.#deliveries).then(() => this.#close());
  }

  #close(): void {
    this.#closing.abort(new NotSupportedError(`${this.resource} was closed; open it again to go on`));
    this.#opened.value?.session.dispose();
  }

  #deliver(kind: UnsentKind, id: string, given: Message): Promise<string> {
    const { unsent, resource } = this.#options;
    const message = typeof given === 'string' ? { text: given } : given;
    unsent?.add({ resource, id, kind, message });
    const delivery = this.#opening
      .then((session) => deliver(session, kind, id, message))
      .then(
        () => {
          unsent?.remove(id);
          return id;
        },
        (error: unknown) => {
          if (isAnswer(error)) unsent?.remove(id);
          throw error;
        },
      )
      .finally(() => this.#deliveries.delete(delivery));
    this.#deliveries.add(delivery);
    return delivery;
  }

  #phase(): ChatPhase {
    const failure = this.#failure.value;
    if (failure?.error instanceof SessionGoneError) return { state: 'gone', error: failure.error };
    if (failure) return { state: 'failed', error: failure.error };
    const opened = this.#opened.value;
    const error = opened?.gone.value;
    if (error) return { state: 'gone', error };
    const interrupted = opened ? opened.interrupted.value : this.#patience.interrupted.value;
    if (interrupted) return { state: 'interrupted', ...interrupted };
    return { state: opened ? 'open' : 'opening' };
  }

  async #open(): Promise<SessionHandle> {
    try {
      const session = await this.#patience.open();
      this.#opened.set({
        session,
        state: tracked(session.state),
        confirmed: tracked(session.confirmed),
        confirmations: tracked(session.pendingConfirmations),
        permissions: tracked(session.pendingPermissions),
        gone: tracked(session.gone),
        interrupted: tracked(session.interrupted),
      });
      await this.#fill(session);
      return session;
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#failure.set({ error });
      throw error;
    }
  }

  /** Another handle may have opened it with fewer turns. */
  async #fill(session: SessionHandle): Promise<void> {
    const { turns = DEFAULT_SNAPSHOT_TURNS } = this.#options;
    const { turns: held, earlierTurns } = session.confirmed.value;
    if (held.length >= turns || earlierTurns === undefined) return;
    await session.loadEarlierTurns(turns - held.length).catch(() => 0);
  }
}

/** The host has decided, or would decide the same each time; without that, the message is still to be sent. */
function isAnswer(error: unknown): boolean {
  return !(
    error instanceof ConnectionLostError ||
    error instanceof CommandTimeoutError ||
    error instanceof ClientClosedError ||
    error instanceof UnauthorizedError ||
    error instanceof OriginRefusedError ||
    error instanceof UnsupportedVersionError ||
    error instanceof ReplacedError
  );
}

function samePhase(a: ChatPhase, b: ChatPhase): boolean {
  if (a.state === 'interrupted' && b.state === 'interrupted' && a.attempt !== b.attempt) return false;
  return a.state === b.state && ('error' in a ? a.error : undefined) === ('error' in b ? b.error : undefined);
}

/**
 * Brings a message to the host, whatever the session does by then: a turn is started, or it waits for one. The id is that of the
 * turn and of the waiting message alike, so that the host takes it once even when it is sent by two pages, or again after a
 * reload.
 */
async function deliver(session: SessionHandle, kind: UnsentKind, id: string, message: UserMessage): Promise<void> {
  if (kind === 'edit') return session.editPending(id, message);
  if (isThere(session, id)) return;
  const { activeTurn, queuedMessages, turns } = session.state.value;
  // A message after Stop goes first, and the queue follows it.
  const isHeld = turns.at(-1)?.holdsQueue === true;
  try {
    if (kind === 'steer' && activeTurn) await session.steer(message, id);
    else if (activeTurn || (queuedMessages?.length && !isHeld)) await session.queue(message, id);
    else await sendOrQueue(session, id, message);
  } catch (error) {
    if (!isRejectedFor(error, 'messageAlreadyInTurn', 'turnIdUsed')) throw error;
  }
}

async function sendOrQueue(session: SessionHandle, id: string, message: UserMessage): Promise<void> {
  try {
    await session.send(message, id);
  } catch (error) {
    // Another client was faster; the message must not be lost.
    if (!isRejectedFor(error, 'turnInProgress')) throw error;
    await session.queue(message, id);
  }
}

/** By the host's word: what is only predicted may still be refused. */
function isThere(session: SessionHandle, id: string): boolean {
  const { activeTurn, turns, queuedMessages, steeringMessage } = session.confirmed.value;
  const all = [activeTurn, ...turns, ...(queuedMessages ?? []), steeringMessage];
  const parts = [activeTurn, ...turns].flatMap((turn) => turn?.responseParts ?? []);
  return all.some((one) => one?.id === id) || parts.some((part) => part.kind === 'steering' && part.id === id);
}
