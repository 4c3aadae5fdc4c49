import {
  type ActionEnvelope,
  type Author,
  type ClientAction,
  type ClientTool,
  type SessionAction,
  type SessionState,
  type Snapshot,
  sessionReducer,
  type URI,
} from '@agenthost/protocol';
import type { AskingClient, CommandClient } from '../sessions/sessions.js';
import { snapshotState } from '../sessions/snapshotState.js';
import { StateBytes, type TurnsRoom, withinMemory } from '../sessions/stateBytes.js';
import { AcceptedSequences, acceptedKey, actionFingerprint } from '../sessions/turn/acceptedSequences.js';
import { OLDEST_ROUTE } from '../sessions/turn/clientRoutes.js';
import {
  lookersAmong,
  originOf,
  type Publisher,
  type SequenceSource,
  type Subscriber,
  SubscriberList,
  viewersAmong,
} from '../state/publisher.js';
import type { FollowResult, LinkClient } from './links/linkMessages.js';
import { FollowedTools, type LinkCallParams, type LinkCallResult, type ToolClient } from './links/linkTools.js';
import type { SessionOwner } from './sessionOwner.js';
import { WaitingSenders } from './waitingSenders.js';

/** Authors are told to the owner together: a thousand clients that reconnect at once must not cause a thousand messages. */
const GATHER_MS = 50;

export interface FollowedSessionOptions {
  readonly uri: URI;
  readonly space: string;
  readonly publisher: Publisher;
  readonly sequence: SequenceSource;
  readonly owner: SessionOwner;
}

const MOVED = 'the session is at another host now';

/**
 * A session that another host owns: a mirror of its state for the clients of this one. What the owner tells gets this host's own
 * numbers. It answers nobody before it has its snapshot (FOL1), because it is made from one.
 */
export class FollowedSession {
  readonly uri: URI;
  readonly space: string;
  readonly #options: FollowedSessionOptions;
  readonly #subscribers = new SubscriberList();
  readonly #accepted: AcceptedSequences;
  readonly #incarnation: string;
  readonly #waiting = new WaitingSenders();
  /** The owner's number of the newest change in the state. */
  #ownerSeq: number;
  /** By connection: the number that the owner gave it (FOL4). */
  readonly #routes = new WeakMap<Subscriber, Promise<number | undefined>>();
  /** Clients that have connected in this moment are told to the owner together. */
  #binding: { readonly clients: string[]; readonly routes: Promise<readonly number[] | undefined> } | undefined;
  #state: SessionState;
  readonly #bytes: StateBytes;
  #timer: NodeJS.Timeout | undefined;
  #told: readonly Author[] = [];
  #isEnded = false;
  lastUsed = performance.now();

  readonly tools = {
    // Whoever subscribes here is a client of this host.
    set: (client: ToolClient, tools: readonly ClientTool[]) =>
      this.#tools.set(client, tools, this.#clientOf(client.subscriber as Subscriber)),
  };
  readonly #tools: FollowedTools;

  constructor(options: FollowedSessionOptions, { state, accepted, incarnation, fromSeq = 0 }: FollowResult) {
    this.uri = options.uri;
    this.space = options.space;
    this.#options = options;
    const { owner } = options;
    this.#tools = new FollowedTools(
      (params) => owner.setTools(params),
      (params) => owner.toolsLeft(params),
    );
    this.#ownerSeq = fromSeq;
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
    void this.#routeOf(subscriber);
    this.#viewersChanged();
  }

  unsubscribe(subscriber: Subscriber): void {
    this.lastUsed = performance.now();
    this.#tools.left(subscriber, subscriber.isOpen === false);
    if (this.#subscribers.remove(subscriber)) this.#viewersChanged();
  }

  dispatchFromClient(sender: Subscriber, clientSeq: number, action: ClientAction): void {
    if (this.#isEnded) {
      sender.cutOff(MOVED);
      return;
    }
    this.lastUsed = performance.now();
    const client = acceptedKey(originOf(sender, clientSeq));
    this.#waiting.add(client, clientSeq, sender);
    void this.#routeOf(sender).then((route) => {
      if (this.#isEnded) return;
      this.#waiting.sent(client, clientSeq, sender, route);
      this.#options.owner.dispatch(clientSeq, action, this.#clientOf(sender), route);
    });
  }

  /** What the owner tells all. Its numbers rise: what comes twice is in the state already. */
  receive({ action, origin, serverSeq: ownerSeq }: ActionEnvelope): void {
    if (this.#isEnded || ownerSeq <= this.#ownerSeq) return;
    this.#ownerSeq = ownerSeq;
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
      sender = this.#waiting.takeAll(key, clientSeq);
    }
    const envelope: ActionEnvelope = origin ? { action, serverSeq, origin } : { action, serverSeq };
    const json = JSON.stringify(envelope);
    this.#bytes.changed(before, this.#state, json.length);
    publisher.publish({ resource: this.uri, envelope, json, subscribers: this.#subscribers.list, sender });
  }

  /** What the owner tells the sender of an action alone (FOL2), which came over that route. */
  settle(client: string, envelope: ActionEnvelope, route?: number): void {
    const clientSeq = envelope.origin?.clientSeq ?? 0;
    const sender = this.#waiting.take(client, clientSeq, route);
    const { publisher, sequence } = this.#options;
    if (sender) publisher.answer(sender, { ...envelope, serverSeq: sequence.current });
  }

  /** The client has a newer connection, as far as the owner knows. If this one is in use, it comes back. */
  dropped(client: string, clientSeq: number, route?: number): void {
    this.#waiting.take(client, clientSeq, route)?.cutOff('this client has another connection');
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
    for (const client of new Set([...this.#waiting.clear(), ...this.#subscribers.list])) client.cutOff(MOVED);
  }

  /** The session does not exist any more. Its clients were told. */
  removed(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    const { publisher, sequence } = this.#options;
    publisher.end(this.uri, sequence.next());
  }

  /** The owner calls a tool of a client of this host. */
  called(params: LinkCallParams, signal: AbortSignal): Promise<LinkCallResult> {
    return this.#tools.call(params, signal);
  }

  #clientOf(sender: AskingClient): LinkClient {
    const { author, tokenName, protocolVersion, role } = sender;
    return clientOf({ author, tokenName, protocolVersion, ...(role && { role }), space: this.space });
  }

  #routeOf(client: Subscriber): Promise<number | undefined> {
    const known = this.#routes.get(client);
    if (known !== undefined) return known;
    if (client.isOpen === false) return Promise.resolve(OLDEST_ROUTE);
    this.#binding ??= this.#bindSoon();
    const { clients, routes } = this.#binding;
    const at = clients.push(acceptedKey(originOf(client, 0))) - 1;
    const route = routes.then((all) => all?.[at]);
    this.#routes.set(client, route);
    return route;
  }

  #bindSoon() {
    const clients: string[] = [];
    const routes = new Promise((resolve) => setImmediate(resolve)).then(() => {
      this.#binding = undefined;
      return this.#isEnded ? undefined : this.#options.owner.bind(clients);
    });
    return { clients, routes };
  }

  looksChanged(): void {
    if (!this.#isEnded) this.#viewersChanged();
  }

  #viewersChanged(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#told = viewersAmong(this.#subscribers.list, this.uri);
      this.#options.owner.viewers(this.#told, lookersAmong(this.#subscribers.list, this.uri));
    }, GATHER_MS).unref();
  }
}

export function clientOf({ author, tokenName, protocolVersion, role, space }: CommandClient): LinkClient {
  return { author, tokenName, protocolVersion, role: role ?? 'viewer', space };
}
