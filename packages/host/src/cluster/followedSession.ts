import {
  type ActionEnvelope,
  type Author,
  type ClientAction,
  type SessionAction,
  type SessionState,
  type Snapshot,
  sessionReducer,
  type URI,
} from '@agenthost/protocol';
import { snapshotState } from '../sessions/snapshotState.js';
import { StateBytes, type TurnsRoom, withinMemory } from '../sessions/stateBytes.js';
import { AcceptedSequences, acceptedKey, actionFingerprint } from '../sessions/turn/acceptedSequences.js';
import { originOf, type Publisher, type SequenceSource, type Subscriber, SubscriberList } from '../state/publisher.js';
import type { FollowResult, LinkClient } from './linkMessages.js';

/** Authors are told to the owner together: a thousand clients that reconnect at once must not cause a thousand messages. */
const GATHER_MS = 50;

export interface FollowedSessionOptions {
  readonly uri: URI;
  readonly publisher: Publisher;
  readonly sequence: SequenceSource;
  readonly send: {
    dispatch(clientSeq: number, action: ClientAction, as: LinkClient): void;
    viewers(authors: readonly Author[]): void;
  };
}

const MOVED = 'the session is at another host now';

/**
 * A session that another host owns: a mirror of its state for the clients of this one. What the owner tells gets this host's own
 * numbers. It answers nobody before it has its snapshot (FOL1), because it is made from one.
 */
export class FollowedSession {
  readonly uri: URI;
  readonly #options: FollowedSessionOptions;
  readonly #subscribers = new SubscriberList();
  readonly #accepted: AcceptedSequences;
  readonly #incarnation: string;
  /** Who waits for the fate of which action. */
  readonly #waiting = new Map<string, Subscriber>();
  #state: SessionState;
  readonly #bytes: StateBytes;
  #timer: NodeJS.Timeout | undefined;
  #told: readonly Author[] = [];
  #isEnded = false;
  lastUsed = performance.now();

  constructor(options: FollowedSessionOptions, { state, accepted, incarnation }: FollowResult) {
    this.uri = options.uri;
    this.#options = options;
    this.#state = state;
    this.#bytes = new StateBytes(state);
    this.#accepted = new AcceptedSequences(accepted);
    this.#incarnation = incarnation;
    // FEN5: what this host told of it before is not all that happened since.
    options.publisher.end(options.uri, options.sequence.next());
  }

  get state(): SessionState {
    return this.#state;
  }

  get bytes(): number {
    return this.#bytes.total;
  }

  /** Nobody looks on and nothing is waited for. */
  get isUnused(): boolean {
    return this.#subscribers.list.length === 0 && this.#waiting.size === 0;
  }

  acceptedFrom(key: string): readonly number[] {
    return this.#accepted.recent(key);
  }

  subscribe(subscriber: Subscriber, room: TurnsRoom): Snapshot {
    this.resume(subscriber);
    const recentlyAccepted = this.#accepted.recent(acceptedKey(originOf(subscriber, 0)));
    return {
      resource: this.uri,
      state: snapshotState(this.#state, room),
      fromSeq: this.#options.sequence.current,
      incarnation: this.#incarnation,
      ...(recentlyAccepted.length > 0 && { recentlyAccepted }),
    };
  }

  resume(subscriber: Subscriber): void {
    if (this.#isEnded) {
      subscriber.cutOff(MOVED);
      return;
    }
    this.#subscribers.add(subscriber);
    this.#viewersChanged();
  }

  unsubscribe(subscriber: Subscriber): void {
    this.lastUsed = performance.now();
    if (this.#subscribers.remove(subscriber)) this.#viewersChanged();
  }

  dispatchFromClient(sender: Subscriber, clientSeq: number, action: ClientAction): void {
    if (this.#isEnded) {
      sender.cutOff(MOVED);
      return;
    }
    this.lastUsed = performance.now();
    this.#waiting.set(waitingKey(sender, clientSeq), sender);
    this.#options.send.dispatch(clientSeq, action, clientOf(sender));
  }

  /** What the owner tells all. */
  receive({ action, origin }: ActionEnvelope): void {
    if (this.#isEnded) return;
    const { publisher, sequence } = this.#options;
    const serverSeq = sequence.next();
    const before = this.#state;
    const next = sessionReducer(before, action as SessionAction);
    this.#state = next.turns === before.turns ? next : withinMemory(next);
    let sender: Subscriber | undefined;
    if (origin) {
      const key = acceptedKey(origin);
      const { clientSeq } = origin;
      const fingerprint = actionFingerprint(action as SessionAction);
      if (clientSeq > this.#accepted.highest(key)) this.#accepted.add(key, { clientSeq, serverSeq, fingerprint });
      sender = this.#takeWaiting(key, clientSeq);
    }
    const envelope: ActionEnvelope = origin ? { action, serverSeq, origin } : { action, serverSeq };
    const json = JSON.stringify(envelope);
    this.#bytes.changed(before, this.#state, json.length);
    publisher.publish({ resource: this.uri, envelope, json, subscribers: this.#subscribers.list, sender });
  }

  /** What the owner tells the sender of an action alone (FOL2). */
  settle(client: string, envelope: ActionEnvelope): void {
    const clientSeq = envelope.origin?.clientSeq ?? 0;
    const sender = this.#takeWaiting(client, clientSeq);
    const { publisher, sequence } = this.#options;
    if (sender) publisher.answer(sender, { ...envelope, serverSeq: sequence.current });
  }

  /**
   * The owner is gone, or somebody else owns it now. Clients are cut off and come back with what is pending; what was told here is
   * not replayed, because it may never have been stored (FEN5).
   */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#timer);
    const { publisher, sequence } = this.#options;
    publisher.end(this.uri, sequence.next());
    for (const client of new Set([...this.#waiting.values(), ...this.#subscribers.list])) client.cutOff(MOVED);
    this.#waiting.clear();
  }

  /** The session does not exist any more. Its clients were told. */
  removed(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    const { publisher, sequence } = this.#options;
    publisher.end(this.uri, sequence.next());
  }

  #takeWaiting(key: string, clientSeq: number): Subscriber | undefined {
    const at = `${key}\0${clientSeq}`;
    const sender = this.#waiting.get(at);
    this.#waiting.delete(at);
    return sender;
  }

  #viewersChanged(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#told = [...new Map(this.#subscribers.list.map(({ author }) => [author.clientId, author])).values()];
      this.#options.send.viewers(this.#told);
    }, GATHER_MS).unref();
  }
}

export function clientOf({ author, tokenName, protocolVersion, role }: Subscriber): LinkClient {
  return { author, tokenName, protocolVersion, role: role ?? 'viewer' };
}

function waitingKey(sender: Subscriber, clientSeq: number): string {
  return `${acceptedKey(originOf(sender, 0))}\0${clientSeq}`;
}
