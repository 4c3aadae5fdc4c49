import {
  type Action,
  type ActionEnvelope,
  type ClientAction,
  type ClientInfo,
  createRootState,
  MAX_FRAME_BYTES,
  ROOT_URI,
  type RootAction,
  type RootState,
  rootReducer,
  type Snapshot,
  type URI,
} from '@agenthost/protocol';
import { type InitializeParams, type Refusal, rejectionOf } from '@agenthost/protocol/internal';
import type { RpcPeer, Schedule } from '@agenthost/rpc';
import type { CommandChannel } from '../connection/commandChannel.js';
import type { Connection, ConnectionUser } from '../connection/connection.js';
import {
  ActionRejectedError,
  type ClientError,
  CommandFailedError,
  ConnectionLostError,
  SessionGoneError,
  SessionRemadeError,
} from '../errors.js';
import type { ReportError } from '../observable.js';
import { shakeHands, type Welcome } from './handshake.js';
import { type Accepted, type ClientSeqStore, fateOf, Outbox, type OutboxEntry } from './outbox.js';
import { InterruptedSessions, isRemade, type SharedSession, SharedSessions } from './sharedSessions.js';
import { Subscription } from './subscription.js';

/** Room for what is around an action in its frame. */
const MAX_ACTION_BYTES = MAX_FRAME_BYTES - 1024;

export interface StateSyncOptions {
  readonly clientId: string;
  readonly clientInfo?: ClientInfo | undefined;
  readonly watch?: InitializeParams['watch'] | undefined;
  readonly clientSeq: ClientSeqStore;
  readonly connection: Connection;
  readonly commands: CommandChannel;
  readonly schedule: Schedule;
  readonly random: () => number;
  readonly reportError: ReportError;
}

type Replay = ReadonlyMap<URI, readonly ActionEnvelope[]>;

/** What an action ends with that the host has not answered; nothing where it was accepted. */
const FAILURE: Readonly<
  Record<'accepted' | 'refused' | 'unknown', ((action: ClientAction) => ClientError) | undefined>
> = {
  accepted: undefined,
  refused: (action) =>
    new ActionRejectedError(
      'the host did not take it, and its reason was lost with the connection',
      { code: 'reasonLost' },
      action,
    ),
  unknown: (action) => new ConnectionLostError(action.type, true),
};

/** Everything that this client shares with the host by actions: the states, what it has sent, and where both stand. */
export class StateSync {
  readonly root: Subscription<RootState, RootAction>;
  readonly sessions: SharedSessions;
  readonly #options: StateSyncOptions;
  readonly #outbox: Outbox;
  readonly #interrupted: InterruptedSessions;
  #lastSeenServerSeq = 0;

  constructor(options: StateSyncOptions) {
    this.#options = options;
    this.#outbox = new Outbox(options.clientSeq);
    const { clientId, connection, commands, reportError } = options;
    const onApplied = (serverSeq: number) => {
      this.#lastSeenServerSeq = Math.max(this.#lastSeenServerSeq, serverSeq);
    };
    const onOverflow = () => connection.drop('more actions arrived than can wait for a snapshot');
    const onSettled = (clientSeq: number, answer: Partial<Refusal>) => this.#settled(clientSeq, answer);
    const events = { onApplied, onOverflow, onSettled };
    this.root = new Subscription<RootState, RootAction>({
      resource: ROOT_URI,
      clientId,
      reducer: rootReducer,
      initial: createRootState(),
      ...events,
      reportError,
    });
    this.sessions = new SharedSessions({
      clientId,
      connection,
      commands,
      onSnapshot: (snapshot) => this.#countOn(snapshot),
      ...events,
      reportError,
    });
    this.#interrupted = new InterruptedSessions({
      ...options,
      sessions: this.sessions,
      onSnapshot: (shared, snapshot) => this.#continue(shared, snapshot),
      onGone: ({ subscription }) => this.markGone(subscription.resource),
    });
  }

  /** Applies the action at once, and sends it now or after the next reconnect. Resolves when the host has accepted it. */
  async dispatch(shared: SharedSession, action: ClientAction): Promise<void> {
    rejectTooLarge(action);
    const { entry, accepted } = this.#outbox.add(action.session, action);
    shared.subscription.predict(entry.clientSeq, { ...action, by: { clientId: this.#options.clientId } });
    this.#send(shared, entry);
    await accepted;
  }

  /** Asks at once for sessions that the host could not load. */
  retryNow(): void {
    this.#interrupted.retryNow();
  }

  receive(envelope: ActionEnvelope): void {
    const subscription = this.#subscriptionOf(envelope.action);
    if (subscription !== undefined) subscription.receive(envelope);
    else if (envelope.origin?.clientId === this.#options.clientId) {
      this.#settled(envelope.origin.clientSeq, envelope);
    }
  }

  async handshake(peer: RpcPeer): ReturnType<ConnectionUser['handshake']> {
    const { clientId, clientInfo, watch, connection } = this.#options;
    // What it could not load then has missed more than a replay from where the others stand.
    const resumed = this.sessions.synced().filter((shared) => !this.#interrupted.has(shared));
    this.root.beginSync();
    for (const { subscription } of resumed) subscription.beginSync();
    const sessions = resumed.map(({ subscription, turns }) => ({ resource: subscription.resource, turns }));
    const last = connection.host;
    const from = last && {
      instanceId: last.serverInfo.instanceId,
      lastSeenServerSeq: this.#lastSeenServerSeq,
      sessions,
    };
    const welcome = await shakeHands(peer, { clientId, clientInfo, watch }, from);
    const { protocolVersion, serverInfo, role, shared, defaultDirectory = last?.defaultDirectory } = welcome;
    const host = { protocolVersion, serverInfo, role, shared, defaultDirectory };
    return { host, commit: () => this.#commit(welcome, resumed) };
  }

  markGone(resource: URI): void {
    const shared = this.sessions.get(resource);
    if (!shared) return;
    if (!shared.subscription.synced) {
      // Its state may be here already, in the same moment, and not be applied yet.
      shared.isDoubtful = true;
      return;
    }
    this.#interrupted.delete(shared);
    this.#failAll(shared, () => new SessionGoneError(resource));
    this.sessions.markGone(shared);
  }

  /** Nothing will be answered any more. */
  failPending(error: ClientError): void {
    this.#interrupted.clear();
    for (const { clientSeq, session } of this.#outbox.entries()) {
      this.sessions.get(session)?.subscription.forget(clientSeq);
      this.#outbox.settle(clientSeq, () => error);
    }
  }

  #commit(welcome: Welcome, resumed: readonly SharedSession[]): void {
    this.#lastSeenServerSeq = welcome.serverSeq;
    for (const clientSeq of Object.values(welcome.acceptedClientSeq ?? {})) this.#outbox.continueAbove(clientSeq);
    for (const snapshot of welcome.snapshots) this.#countOn(snapshot);
    const replay = welcome.replay && Map.groupBy(welcome.replay, ({ action }) => resourceOf(action));
    this.#resyncRoot(welcome, replay);
    // Those of an earlier connection; what failed just now waits.
    this.#interrupted.retryNow();
    for (const shared of resumed) this.#resume(shared, welcome, replay);
    for (const entry of this.#outbox.entries()) this.#send(this.sessions.get(entry.session), entry);
  }

  #resume(shared: SharedSession, welcome: Welcome, replay: Replay | undefined): void {
    const { resource } = shared.subscription;
    const failed = welcome.failed.find((one) => one.resource === resource);
    if (!this.sessions.isHeld(shared)) {
      // Its last handle was closed while the host was being asked to resume it.
      this.#options.connection.notify('unsubscribe', { resource });
    } else if (failed) {
      const { code, message } = failed.error;
      this.#interrupted.add(shared, new CommandFailedError('subscribe', code, message));
    } else if (welcome.missing.includes(resource) || !this.#resync(shared, welcome, replay)) {
      this.markGone(resource);
    } else {
      const recent = welcome.recentlyAccepted?.[resource] ?? snapshotOf(welcome, resource)?.recentlyAccepted ?? [];
      this.#settleAccepted(shared, { highest: welcome.acceptedClientSeq?.[resource], recent, isReplay: !!replay });
    }
  }

  /** A session that the host could not load is there again. */
  #continue(shared: SharedSession, snapshot: Snapshot): void {
    const { resource, recentlyAccepted: recent = [] } = snapshot;
    this.#countOn(snapshot);
    this.#applySnapshot(shared, snapshot);
    this.#settleAccepted(shared, { recent });
    for (const entry of this.#outbox.entries(resource)) this.#send(shared, entry);
  }

  /** Now, or when its session is there again. */
  #send(shared: SharedSession | undefined, entry: OutboxEntry): void {
    const { clientSeq, action } = entry;
    const mayLeave = shared === undefined || !this.#interrupted.has(shared);
    entry.sent = (mayLeave && this.#options.connection.notify('dispatchAction', { clientSeq, action })) || entry.sent;
  }

  #resyncRoot(welcome: Welcome, replay: Replay | undefined): void {
    const snapshot = snapshotOf(welcome, ROOT_URI);
    if (replay) this.root.applyReplay(replay.get(ROOT_URI) ?? []);
    else if (snapshot) this.root.applySnapshot(snapshot.state as RootState, snapshot.fromSeq);
    else this.root.endSync();
  }

  #resync(shared: SharedSession, welcome: Welcome, replay: Replay | undefined): boolean {
    const { subscription } = shared;
    const snapshot = snapshotOf(welcome, subscription.resource);
    if (replay) subscription.applyReplay(replay.get(subscription.resource) ?? []);
    else if (snapshot) this.#applySnapshot(shared, snapshot);
    return replay !== undefined || snapshot !== undefined;
  }

  #applySnapshot(shared: SharedSession, snapshot: Snapshot): void {
    const { resource } = snapshot;
    if (isRemade(shared, snapshot.incarnation)) this.#failAll(shared, () => new SessionRemadeError(resource));
    this.sessions.applySnapshot(shared, snapshot);
  }

  /** A process that begins with 1 under an id that was used before must not use a number twice. */
  #countOn({ recentlyAccepted }: Snapshot): void {
    this.#outbox.continueAbove(recentlyAccepted?.at(-1) ?? 0);
  }

  /** What the host has accepted is in the new state already, and isn't sent again. */
  #settleAccepted(shared: SharedSession, accepted: Accepted): void {
    for (const entry of this.#outbox.entries(shared.subscription.resource)) {
      const fate = fateOf(entry, accepted);
      if (fate === 'notTold') entry.uncertain ||= entry.sent;
      else if (fate !== 'unanswered') this.#forget(shared, entry.clientSeq, FAILURE[fate]);
    }
    this.sessions.endUnused(shared);
  }

  #settled(clientSeq: number, answer: Partial<Refusal>): void {
    const entry = this.#outbox.entry(clientSeq);
    if (entry === undefined) return;
    const failure = failureOf(answer);
    this.#outbox.settle(clientSeq, failure);
    const shared = this.sessions.get(entry.session);
    if (shared === undefined) return;
    if (failure === undefined) this.#settleUncertain(shared, clientSeq);
    this.sessions.endUnused(shared);
  }

  /** An older host ignores what it has accepted before, without a word; an answer to a later action says that it did. */
  #settleUncertain(shared: SharedSession, before: number): void {
    for (const { clientSeq, uncertain } of this.#outbox.entries(shared.subscription.resource)) {
      if (uncertain && clientSeq < before) this.#forget(shared, clientSeq);
    }
  }

  #failAll(shared: SharedSession, failure: () => ClientError): void {
    for (const { clientSeq } of this.#outbox.entries(shared.subscription.resource)) {
      this.#forget(shared, clientSeq, failure);
    }
  }

  #forget(shared: SharedSession, clientSeq: number, failure?: (action: ClientAction) => Error): void {
    shared.subscription.forget(clientSeq);
    this.#outbox.settle(clientSeq, failure);
  }

  #subscriptionOf(action: Action): { receive(envelope: ActionEnvelope): void } | undefined {
    const resource = resourceOf(action);
    return resource === ROOT_URI ? this.root : this.sessions.get(resource)?.subscription;
  }
}

function snapshotOf({ snapshots }: Welcome, resource: URI): Snapshot | undefined {
  return snapshots.find((snapshot) => snapshot.resource === resource);
}

/** What a refused action ends with. If the host has forgotten whether it accepted the action, the client can't know it either. */
function failureOf(answer: Partial<Refusal>): ((action: ClientAction) => ClientError) | undefined {
  const { rejectionReason } = answer;
  const rejection = rejectionReason === undefined ? undefined : rejectionOf(answer);
  if (rejectionReason === undefined || rejection === undefined) return undefined;
  if (rejection.code === 'clientSeqForgotten') return FAILURE.unknown;
  return (action) => new ActionRejectedError(rejectionReason, rejection, action);
}

/** Also for action types that this version doesn't know: the ones that belong to a session name it. */
function resourceOf(action: Action): URI {
  return 'session' in action ? action.session : ROOT_URI;
}

/** The host drops frames over its limit without knowing whose action was in them, so that no answer would ever come. */
function rejectTooLarge(action: ClientAction): void {
  const text = JSON.stringify(action);
  if (text.length * 3 <= MAX_ACTION_BYTES || new TextEncoder().encode(text).length <= MAX_ACTION_BYTES) return;
  throw new ActionRejectedError(`it is larger than ${MAX_ACTION_BYTES} bytes`, { code: 'tooLarge' }, action);
}
