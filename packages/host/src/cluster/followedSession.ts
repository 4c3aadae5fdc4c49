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
import type { AskingClient, CommandClient, OpenSession } from '../sessions/sessions.js';
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
import { isSameSession, ofTheRun } from './sameSession.js';
import type { SessionOwner } from './sessionOwner.js';
import { WaitingSenders } from './waitingSenders.js';

/** Authors are told to the owner together: a thousand clients that reconnect at once must not cause a thousand messages. */
const GATHER_MS = 50;

export interface FollowedSessionOptions {
  readonly uri: URI;
  readonly space: string;
  readonly publisher: Publisher;
  readonly sequence: SequenceSource;
  /** Absent while it is looked for: then what clients send waits. */
  readonly owner?: SessionOwner;
}

/** Actions that wait for a new owner. Who sends more is cut off, and comes back with them. */
const MAX_WAITING = 1_000;
/** Characters of them, as JSON. */
const MAX_WAITING_LENGTH = 32 * 1024 * 1024;

const MOVED = 'the session is at another host now';

/** A session of this host. */
interface OwnSession extends OpenSession {
  readonly state: SessionState;
  readonly accepted: AcceptedSequences;
  readonly isClosed: boolean;
}

/**
 * A session that another host owns: a mirror of its state for the clients of this one. What the owner tells gets this host's own
 * numbers. It answers nobody before it has its snapshot (FOL1), because it is made from one.
 */
export class FollowedSession {
  readonly uri: URI;
  readonly space: string;
  readonly #options: FollowedSessionOptions;
  readonly #subscribers = new SubscriberList();
  #owner: SessionOwner | undefined;
  #accepted: AcceptedSequences;
  readonly #incarnation: string;
  readonly #waiting = new WaitingSenders();
  /** Of what came since there is no owner. */
  #waitingLength = 0;
  /** The owner's number of the newest change in the state. */
  #ownerSeq: number;
  /** By connection: the number that the owner gave it (FOL4). */
  #routes = new WeakMap<Subscriber, Promise<number | undefined>>();
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
    this.#owner = options.owner;
    this.#tools = new FollowedTools(
      (params) => this.#owner?.setTools(params) ?? Promise.reject(new Error(MOVED)),
      (params) => this.#owner?.toolsLeft(params),
    );
    this.#ownerSeq = fromSeq;
    this.#state = state;
    this.#bytes = new StateBytes(state);
    this.#accepted = new AcceptedSequences(accepted);
    this.#incarnation = incarnation;
    // FEN5: what this host told of it before is not all that happened since.
    this.#forgetReplay();
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
    if (this.#owner) void this.#routeOf(subscriber, this.#owner);
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
    if (!this.#owner && !this.#hasRoomFor(action)) {
      sender.cutOff(MOVED);
      return;
    }
    this.#waiting.add(acceptedKey(originOf(sender, clientSeq)), clientSeq, action, sender);
    if (this.#owner) this.#send(this.#owner, sender, clientSeq, action);
  }

  #hasRoomFor(action: ClientAction): boolean {
    if (this.#waiting.size >= MAX_WAITING) return false;
    this.#waitingLength += JSON.stringify(action).length;
    return this.#waitingLength <= MAX_WAITING_LENGTH;
  }

  #send(owner: SessionOwner, sender: Subscriber, clientSeq: number, action: ClientAction): void {
    void this.#routeOf(sender, owner).then((route) => {
      // A new owner gets all that waits.
      if (this.#isEnded || this.#owner !== owner) return;
      this.#waiting.sent(acceptedKey(originOf(sender, clientSeq)), clientSeq, sender, route);
      owner.dispatch(clientSeq, action, this.#clientOf(sender), route);
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
    this.#forgetReplay();
    for (const client of new Set([...this.#waiting.clear(), ...this.#subscribers.list])) client.cutOff(MOVED);
  }

  /** Clients of this host whose session goes to another one: what they have subscribed to is this now. */
  adopt(clients: readonly Subscriber[]): void {
    for (const client of clients) {
      this.#subscribers.add(client);
      client.goesOn?.(this.uri, this);
    }
  }

  /** The owner gives it to another host. Until that is found, what clients send waits. `false`: they have to come back. */
  leaveOwner(): boolean {
    // Tools are offered to an owner, which is another one now.
    if (this.#isEnded || (this.#state.clientTools ?? []).length > 0 || !this.#tools.isEmpty) return false;
    this.#owner = undefined;
    this.#waitingLength = 0;
    this.#routes = new WeakMap();
    this.#binding = undefined;
    return true;
  }

  /**
   * There is a new owner. Where what it has told since it has the session explains all that is different there, clients stay
   * connected and are told just that. Else nothing happens, and they have to come back: what they were told may never have been stored.
   */
  continueAt(owner: SessionOwner, { state, accepted, incarnation, told, fromSeq = 0 }: FollowResult): boolean {
    const theirs = new AcceptedSequences(accepted);
    if (!told || incarnation !== this.#incarnation || !this.#goesOnAs(told, state, theirs)) return false;
    this.#forgetReplay();
    this.#ownerSeq = 0;
    for (const envelope of told) this.receive(envelope);
    for (const action of ofTheRun(this.#state, state)) {
      this.receive({ action: { ...action, session: this.uri, at: Date.now() }, serverSeq: this.#ownerSeq + 1 });
    }
    this.#ownerSeq = fromSeq;
    this.#accepted = theirs;
    this.#owner = owner;
    for (const client of this.#subscribers.list) void this.#routeOf(client, owner);
    for (const { sender, clientSeq, action } of this.#waiting.list) this.#send(owner, sender, clientSeq, action);
    this.#viewersChanged();
    return true;
  }

  /** The same where this host is the new owner: its clients go on there, and this object ends. */
  continueHere(session: OwnSession, told: readonly ActionEnvelope[] | undefined): boolean {
    const { publisher, sequence } = this.#options;
    if (!told || session.isClosed || !this.#goesOnAs(told, session.state, session.accepted)) return false;
    const clients = this.#subscribers.list;
    const waiting = this.#waiting.list;
    this.#isEnded = true;
    clearTimeout(this.#timer);
    let mine = this.#state;
    for (const envelope of told) {
      mine = sessionReducer(mine, envelope.action as SessionAction);
      publisher.retell({ ...envelope, serverSeq: sequence.next() }, clients);
    }
    for (const action of ofTheRun(mine, session.state)) {
      const at = Date.now();
      publisher.retell({ action: { ...action, session: this.uri, at }, serverSeq: sequence.next() }, clients);
    }
    this.#forgetReplay();
    for (const client of clients) {
      client.goesOn?.(this.uri, session);
      session.resume(client);
    }
    for (const { sender, clientSeq, action } of waiting) session.dispatchFromClient(sender, clientSeq, action);
    this.#waiting.clear();
    return true;
  }

  #goesOnAs(told: readonly ActionEnvelope[], state: SessionState, accepted: AcceptedSequences): boolean {
    const isKnown = this.#accepted.entries().every(([key]) => this.#accepted.highest(key) <= accepted.highest(key));
    if (!isKnown) return false;
    const mine = told.reduce((before, { action }) => sessionReducer(before, action as SessionAction), this.#state);
    return isSameSession(mine, state);
  }

  #forgetReplay(): void {
    const { publisher, sequence } = this.#options;
    publisher.end(this.uri, sequence.next());
  }

  /** The session does not exist any more. Its clients were told. */
  removed(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#forgetReplay();
  }

  /** The owner calls a tool of a client of this host. */
  called(params: LinkCallParams, signal: AbortSignal): Promise<LinkCallResult> {
    return this.#tools.call(params, signal);
  }

  #clientOf(sender: AskingClient): LinkClient {
    const { author, tokenName, protocolVersion, role } = sender;
    return clientOf({ author, tokenName, protocolVersion, ...(role && { role }), space: this.space });
  }

  #routeOf(client: Subscriber, owner: SessionOwner): Promise<number | undefined> {
    const known = this.#routes.get(client);
    if (known !== undefined) return known;
    if (client.isOpen === false) return Promise.resolve(OLDEST_ROUTE);
    this.#binding ??= this.#bindSoon(owner);
    const { clients, routes } = this.#binding;
    const at = clients.push(acceptedKey(originOf(client, 0))) - 1;
    const route = routes.then((all) => all?.[at]);
    this.#routes.set(client, route);
    return route;
  }

  #bindSoon(owner: SessionOwner) {
    const clients: string[] = [];
    const routes = new Promise((resolve) => setImmediate(resolve)).then(() => {
      if (this.#isEnded || this.#owner !== owner) return undefined;
      this.#binding = undefined;
      return owner.bind(clients);
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
      this.#owner?.viewers(this.#told, lookersAmong(this.#subscribers.list, this.uri));
    }, GATHER_MS).unref();
  }
}

export function clientOf({ author, tokenName, protocolVersion, role, space }: CommandClient): LinkClient {
  return { author, tokenName, protocolVersion, role: role ?? 'viewer', space };
}
