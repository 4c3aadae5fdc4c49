import {
  type ActionEnvelope,
  type ActionOrigin,
  type ClientAction,
  type SessionAction,
  type SessionState,
  type Snapshot,
  sessionReducer,
  type URI,
} from '@agenthost/protocol';
import { type Refusal, refuse } from '@agenthost/protocol/internal';
import type { Delivery, DeliveryEntry, DurableSource } from '../state/delivery.js';
import { originOf, type Publisher, type SequenceSource, type Subscriber, SubscriberList } from '../state/publisher.js';
import type { EventLog, NewLogRecord } from '../storage/log/eventLog.js';
import { SHRUNK_TURN_BYTES, TURNS_IN_MEMORY } from './sessionLimits.js';
import { snapshotState } from './snapshotState.js';
import { StateBytes, type TurnsRoom, withinMemory, withTurnsWithin } from './stateBytes.js';
import { AcceptedSequences, acceptedKey, actionFingerprint } from './turn/acceptedSequences.js';
import { isLost, notStored } from './turn/notStored.js';

type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
/** An action before it is stamped. */
export type UnstampedAction = Without<SessionAction, 'session' | 'at'>;

export interface SessionStoreOptions {
  readonly uri: URI;
  /** Changes when the session is removed and created again. */
  readonly incarnation: string;
  readonly state: SessionState;
  readonly log: EventLog;
  /** The files that the state refers to. `stored` rejects when one of them could not be stored. */
  readonly content: { stored(): Promise<void> };
  readonly accepted?: AcceptedSequences;
  /** The highest number in the log. */
  readonly lastServerSeq?: number;
  readonly delivery: Delivery;
  readonly publisher: Publisher;
  readonly sequence: SequenceSource;
  readonly now: () => number;
  /** Whether no other host can have taken the session. */
  readonly isSure?: () => boolean;
}

/** What goes on at another host. */
export interface HandedOver {
  /** Of this host. */
  readonly clients: readonly Subscriber[];
  readonly incarnation: string;
}

/** What follows a change of the state. */
export interface StoreEffects {
  /** Called after each change, with the state before it. */
  afterChange(action: SessionAction, before: SessionState): void;
  /** Called when another host has the session, or may have it: this object is of no use any more. */
  lost(): void;
  /** Called when changes could not be stored. The state is again the one that clients know; `undone` is the discarded one. */
  afterTakeBack(error: unknown, undone: SessionState): void;
}

/** The change that a queued frame is about, so that it can be undone. */
interface Tag {
  readonly kind: 'change';
  readonly envelope: ActionEnvelope;
  readonly before: SessionState;
  readonly logNumber: number | undefined;
  /** The highest number in the log before it. */
  readonly lastServerSeq: number;
  readonly sender: Subscriber | undefined;
}

/** The answer to an action that was sent again. It is sent only if the first one is stored. */
interface RepeatTag {
  readonly kind: 'repeat';
  readonly envelope: ActionEnvelope;
  readonly origin: ActionOrigin;
  readonly sender: Subscriber;
}

/** The host's own actions that must be stored before they are sent, because they decide the fate of a message. */
const STORED_BEFORE_TOLD: ReadonlySet<SessionAction['type']> = new Set([
  'session/turnStarted',
  'session/turnComplete',
  'session/turnCancelled',
  'session/error',
]);

/** What is over with the run of the host. */
const NOT_LOGGED: ReadonlySet<SessionAction['type']> = new Set([
  'session/clientsChanged',
  'session/approvalsChanged',
  'session/clientToolsChanged',
]);

const MOVED = 'the session is at another host now';
/** Of what clients are told that stay while their session goes to another host. */
const MAX_TOLD_BYTES = 1024 * 1024;

/** One session's state, and the only place where it changes. Reduces, orders, logs and publishes; knows no agent. */
export class SessionStore implements DurableSource {
  readonly uri: URI;
  readonly accepted: AcceptedSequences;
  /** Set once, when the session is assembled. */
  effects: StoreEffects | undefined;
  readonly #options: SessionStoreOptions;
  readonly #subscribers = new SubscriberList();
  /** The highest number that each subscriber's snapshot includes. */
  readonly #toldUpTo = new WeakMap<Subscriber, number>();
  /** A turn was completed since the last batch: its output must be stored before that is sent. */
  #hasEnded = false;
  #state: SessionState;
  #bytes: StateBytes;
  #lastServerSeq: number;
  /** All that was told of it here has a higher number. */
  readonly #openedAt: number;

  constructor(options: SessionStoreOptions) {
    this.uri = options.uri;
    this.accepted = options.accepted ?? new AcceptedSequences();
    this.#options = options;
    this.#openedAt = options.sequence.current;
    this.#state = options.state;
    this.#bytes = new StateBytes(options.state);
    this.#lastServerSeq = options.lastServerSeq ?? 0;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** About how much memory the session takes, in bytes. */
  get bytes(): number {
    return this.#bytes.total;
  }

  /** Drops ended turns, which `fetchTurns` finds in the log. Later snapshots have fewer of them. */
  shrink(): void {
    const state = withTurnsWithin(this.#state, { turns: TURNS_IN_MEMORY, bytes: SHRUNK_TURN_BYTES });
    if (state === this.#state) return;
    this.#state = state;
    this.#bytes = new StateBytes(state);
  }

  /** Puts the newest turns into a state that has none of them in memory. */
  fill(turns: SessionState['turns']): void {
    const { earlierTurns = 0, ...rest } = this.#state;
    if (rest.turns.length > 0 || turns.length > earlierTurns) return;
    const left = earlierTurns - turns.length;
    this.#state = { ...rest, turns, ...(left > 0 && { earlierTurns: left }) };
    this.#bytes = new StateBytes(this.#state);
  }

  /** The highest number in the log. */
  get lastServerSeq(): number {
    return this.#lastServerSeq;
  }

  get subscribers(): readonly Subscriber[] {
    return this.#subscribers.list;
  }

  /** Applies an action of the host. One that changes nothing is dropped. */
  dispatch(action: UnstampedAction, options: { readonly mustBeStored?: boolean } = {}): void {
    const stamped = this.#withModel({ ...action, session: this.uri, at: this.#options.now() } as SessionAction);
    const next = sessionReducer(this.#state, stamped);
    if (next === this.#state) return;
    this.#apply(stamped, next);
    const { delivery, isSure } = this.#options;
    const mustBeStored = options.mustBeStored ?? STORED_BEFORE_TOLD.has(stamped.type);
    // FEN6: text that is shown and never stored is taken back at most once, when the host falls silent.
    if (mustBeStored || isSure?.() === false) delivery.requireStored(this);
  }

  /** Applies a client's action that passed all checks. It is echoed even if it changes nothing: its sender waits for it. */
  accept(sender: Subscriber, clientSeq: number, action: ClientAction): void {
    const origin = originOf(sender, clientSeq);
    const stamped = this.#withModel({ ...action, session: this.uri, at: this.#options.now(), by: sender.author });
    this.#options.delivery.requireStored(this);
    this.#apply(stamped, sessionReducer(this.#state, stamped), { origin, sender });
  }

  /** Answers an action whose `clientSeq` is used already with the outcome of the first one. Nothing changes. */
  repeat(sender: Subscriber, clientSeq: number, action: ClientAction): void {
    const origin = originOf(sender, clientSeq);
    const key = acceptedKey(origin);
    const known = this.accepted.find(key, clientSeq);
    if (known?.fingerprint === actionFingerprint(action)) {
      const envelope: ActionEnvelope = { action, serverSeq: known.serverSeq, origin };
      this.#answerRepeat({ kind: 'repeat', envelope, origin, sender });
      return;
    }
    const code = this.accepted.remembers(key, clientSeq) ? 'clientSeqUsed' : 'clientSeqForgotten';
    const detail = `continue above ${this.accepted.highest(key)}`;
    this.reject(sender, clientSeq, action, refuse(code, { detail }));
  }

  reject(sender: Subscriber, clientSeq: number, action: SessionAction, refusal: Refusal): void {
    const origin = originOf(sender, clientSeq);
    const serverSeq = this.#options.sequence.current;
    this.#options.publisher.reject(sender, { action, serverSeq, origin, ...refusal });
  }

  subscribe(subscriber: Subscriber, room: TurnsRoom): Snapshot {
    this.resume(subscriber);
    const recentlyAccepted = this.accepted.recent(acceptedKey(originOf(subscriber, 0)));
    return {
      resource: this.uri,
      state: snapshotState(this.#state, room),
      fromSeq: this.#options.sequence.current,
      incarnation: this.#options.incarnation,
      ...(recentlyAccepted.length > 0 && { recentlyAccepted }),
    };
  }

  /** What was told of it since it was opened here; `undefined` when that is not known any more, or too much. */
  get told(): readonly ActionEnvelope[] | undefined {
    return this.#options.publisher.toldSince(this.#openedAt, this.uri, MAX_TOLD_BYTES);
  }

  /** Subscribes a client that gets what it missed by replay. */
  resume(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
    this.#toldUpTo.set(subscriber, this.#options.sequence.current);
  }

  unsubscribe(subscriber: Subscriber): boolean {
    return this.#subscribers.remove(subscriber);
  }

  async makeDurable(): Promise<void> {
    const needsContent = this.#hasEnded;
    this.#hasEnded = false;
    await Promise.all([this.#options.log.flush(), needsContent && this.#options.content.stored()]);
  }

  takeBack(entries: readonly DeliveryEntry[], error: unknown): void {
    const tags = entries.map((entry) => entry.tag as Tag | RepeatTag);
    if (isLost(error)) {
      this.lose(tags.flatMap(({ sender }) => sender ?? []));
      return;
    }
    this.#undo(
      tags.filter((tag): tag is Tag => tag.kind === 'change'),
      error,
    );
    for (const tag of tags) {
      if (tag.kind === 'change') continue;
      const { envelope, origin, sender } = tag;
      // The first action may have been stored in an earlier batch.
      if (this.accepted.find(acceptedKey(origin), origin.clientSeq)) this.#answerRepeat(tag);
      else this.#options.publisher.reject(sender, { ...envelope, ...notStored(error) });
    }
  }

  /**
   * Another host has the session, or may have it. Nobody is told anything: clients are cut off and come back to the new owner with
   * what is pending (FEN4). What was told here is not replayed: it may never have been stored (FEN5).
   */
  lose(senders: readonly Subscriber[] = []): void {
    this.leave(senders);
    this.effects?.lost();
  }

  /** Cuts off all who look on: they find the session at another host. */
  leave(senders: readonly Subscriber[] = []): void {
    const { publisher, sequence } = this.#options;
    publisher.end(this.uri, sequence.next());
    for (const client of new Set([...senders, ...this.#subscribers.list])) client.cutOff(MOVED);
  }

  /**
   * The session goes to another host with all that was told of it. Other hosts are told that; gives back the clients of this one, to
   * be cut off or to go on at another object.
   */
  handOver(): HandedOver {
    const { publisher, sequence, incarnation } = this.#options;
    publisher.end(this.uri, sequence.next());
    const all = this.#subscribers.list;
    for (const subscriber of all) subscriber.sessionMoved?.();
    const clients = all.filter(({ sessionMoved }) => sessionMoved === undefined);
    for (const client of clients) this.#subscribers.remove(client);
    return { clients, incarnation };
  }

  #undo(tags: readonly Tag[], error: unknown): void {
    const [first] = tags;
    if (!first) return;
    const undone = this.#state;
    this.#state = first.before;
    this.#bytes = new StateBytes(first.before);
    this.#lastServerSeq = first.lastServerSeq;
    const firstLogged = tags.find((tag) => tag.logNumber !== undefined)?.logNumber;
    if (firstLogged !== undefined) this.#options.log.rollbackTo(firstLogged - 1);
    for (const { envelope, sender } of tags.toReversed()) {
      if (!envelope.origin || !sender) continue;
      this.accepted.takeBack(acceptedKey(envelope.origin), envelope.origin.clientSeq);
      this.#options.publisher.reject(sender, { ...envelope, ...notStored(error) });
    }
    // The snapshots of clients that subscribed in between include undone changes, and are in the queue already.
    for (const subscriber of this.#subscribers.list) {
      const toldUpTo = this.#toldUpTo.get(subscriber) ?? 0;
      if (toldUpTo >= first.envelope.serverSeq) subscriber.cutOff(notStored(error).rejectionReason);
    }
    this.#options.publisher.forgetReplay(this.#options.sequence.current);
    this.effects?.afterTakeBack(error, undone);
  }

  #answerRepeat(tag: RepeatTag): void {
    this.#options.publisher.answer(tag.sender, { ...tag.envelope, repeated: true }, { source: this, tag });
  }

  /** Adds the session's model to the start of a turn, so that the log says which model each turn had. */
  #withModel(action: SessionAction): SessionAction {
    if (action.type !== 'session/turnStarted') return action;
    const { model: _, ...started } = action;
    const { model } = this.#state.summary;
    return model === undefined ? started : { ...started, model };
  }

  #apply(
    action: SessionAction,
    next: SessionState,
    from?: { readonly origin: ActionOrigin; readonly sender: Subscriber },
  ): void {
    const before = this.#state;
    const serverSeq = this.#options.sequence.next();
    if (from) {
      const { clientSeq } = from.origin;
      this.accepted.add(acceptedKey(from.origin), { clientSeq, serverSeq, fingerprint: actionFingerprint(action) });
    }
    const envelope: ActionEnvelope = from ? { action, serverSeq, origin: from.origin } : { action, serverSeq };
    // Encoded once, for the log and for all subscribers.
    const json = JSON.stringify(envelope);
    this.#state = next.turns === before.turns ? next : withinMemory(next);
    this.#bytes.changed(before, this.#state, json.length);
    if (action.type === 'session/turnComplete') this.#hasEnded = true;
    const logNumber = NOT_LOGGED.has(action.type) ? undefined : this.#options.log.append(record(envelope), json);
    const [lastServerSeq, sender] = [this.#lastServerSeq, from?.sender];
    const tag: Tag = { kind: 'change', envelope, before, logNumber, lastServerSeq, sender };
    if (logNumber !== undefined) this.#lastServerSeq = envelope.serverSeq;
    this.#options.publisher.publish({
      resource: this.uri,
      envelope,
      json,
      subscribers: this.#subscribers.list,
      sender,
      source: this,
      tag,
    });
    this.effects?.afterChange(action, before);
  }
}

function record(envelope: ActionEnvelope): NewLogRecord {
  const { serverSeq, origin } = envelope;
  const action = envelope.action as SessionAction;
  return origin ? { type: 'action', serverSeq, origin, action } : { type: 'action', serverSeq, action };
}
