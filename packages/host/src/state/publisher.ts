import {
  type Action,
  type ActionEnvelope,
  type ActionOrigin,
  type Author,
  MIN_PROTOCOL_VERSION,
  type Role,
  type URI,
} from '@agenthost/protocol';
import { ACTION_INTRODUCED_IN } from '@agenthost/protocol/internal';
import { around, type Delivery, type DurableSource, EncodedFrame, type Receiver } from './delivery.js';
import type { ReplayBuffer } from './replayBuffer.js';

/** Who sees a session right now. */
export interface Lookers {
  readonly anybody: boolean;
  /** The devices among them that have a push subscription, by `deviceKey`. */
  readonly devices: readonly string[];
}

export const NO_LOOKERS: Lookers = { anybody: false, devices: [] };

/** A device with a push subscription. With the token's id, so that nobody can speak for the device of another token. */
export function deviceKey(tokenId: string, subscriptionId: string): string {
  return `${tokenId}/${subscriptionId}`;
}

/** A connected client that receives envelopes. */
export interface Subscriber extends Receiver {
  readonly author: Author;
  readonly protocolVersion: number;
  /** The name of its token, if the token has one. */
  readonly tokenName?: string | undefined;
  readonly role?: Role;
  /** `false` when its connection has ended. What it sent before may still be on its way to a session. */
  readonly isOpen?: boolean;
  /** The clients behind it whose users see the session, when it is another host. */
  readonly authors?: readonly Author[];
  /** Who gets the echoes for it, when it is a client of another host. */
  readonly via?: Subscriber;
  /** This client keeps the sessions' files: without its connection nothing can be stored. */
  readonly keepsFiles?: boolean;
  /** Who sees the session through this subscriber. Without it, its user is taken to look at all that it has subscribed to. */
  lookersOf?(session: URI): Lookers;
  /** Closes the connection, so that the client reconnects and takes a snapshot. */
  cutOff(reason: string): void;
  /** The session goes on as another object, and this subscriber with it. */
  goesOn?(session: URI, as: object): void;
  /** The session goes to another host with all that was told of it. Where this is, it is called in place of `cutOff`. */
  sessionMoved?(): void;
}

export function lookersAmong(subscribers: readonly Subscriber[], session: URI): Lookers {
  const each = subscribers.map((one) => one.lookersOf?.(session) ?? { anybody: true, devices: [] });
  return { anybody: each.some(({ anybody }) => anybody), devices: each.flatMap(({ devices }) => devices) };
}

/**
 * The clients whose users see the session, each once. Not all that are subscribed: a client may follow a session only to list its
 * questions, or be hidden.
 */
export function viewersAmong(subscribers: readonly Subscriber[], session: URI): readonly Author[] {
  const authors = subscribers.flatMap((one) => {
    if (one.authors) return one.authors;
    return one.lookersOf?.(session).anybody === false ? [] : [one.author];
  });
  return [...new Map(authors.map((author) => [author.clientId, author])).values()];
}

/** The origin of an action. The client chooses the number; the host knows the token's name. */
export function originOf({ author, tokenName }: Subscriber, clientSeq: number): ActionOrigin {
  const { clientId } = author;
  return tokenName === undefined ? { clientId, clientSeq } : { clientId, clientSeq, name: tokenName };
}

export interface PublishOptions {
  readonly resource: URI;
  readonly envelope: ActionEnvelope;
  /** The envelope as JSON, if it is encoded already. */
  readonly json?: string;
  readonly subscribers: readonly Subscriber[];
  /** Gets the echo of its own action, subscribed or not. */
  readonly sender?: Subscriber | undefined;
  readonly source?: DurableSource;
  readonly tag?: unknown;
}

/** Encodes each envelope once, keeps it for replay, and enqueues it for its receivers. */
export class Publisher {
  readonly #delivery: Delivery;
  readonly #replay: ReplayBuffer;
  #published = 0;
  readonly #rejections = new Map<string, number>();

  constructor(delivery: Delivery, replay: ReplayBuffer) {
    this.#delivery = delivery;
    this.#replay = replay;
  }

  /** Envelopes that were told. */
  get published(): number {
    return this.#published;
  }

  /** How many actions were refused, by the code of the refusal. */
  get rejections(): ReadonlyMap<string, number> {
    return this.#rejections;
  }

  publish(options: PublishOptions): void {
    this.#published++;
    const { resource, envelope, sender, source, tag } = options;
    const json = options.json ?? JSON.stringify(envelope);
    const actionType = envelope.action.type;
    const bytes = this.#replay.add({ serverSeq: envelope.serverSeq, resource, actionType, json });
    const known = knowing(options.subscribers, actionType);
    const receivers = sender && !known.includes(sender.via ?? sender) ? [...known, sender] : known;
    // Also without any receiver: the source must learn of it when it could not be stored.
    this.#delivery.enqueue({ frame: actionFrame(json, bytes), receivers, source, tag });
  }

  /** Called after changes were undone: clients that reconnect have to take a snapshot. */
  forgetReplay(upTo: number): void {
    this.#replay.forgetUpTo(upTo);
  }

  /** The resource was removed. A later one with the same URI is another resource. */
  end(resource: URI, serverSeq: number): void {
    this.#replay.end(resource, serverSeq);
  }

  /** What was told of a resource that was opened here at that number; `undefined` when it is not known any more, or too much. */
  toldSince(serverSeq: number, resource: URI, maxBytes: number): readonly ActionEnvelope[] | undefined {
    const told = this.#replay.toldSince(serverSeq, new Set([resource]), maxBytes);
    return told?.map(({ json }) => JSON.parse(json) as ActionEnvelope);
  }

  /** For some who have not heard it. It can't be replayed to them: `end` the resource with a higher number. */
  retell(envelope: ActionEnvelope, subscribers: readonly Subscriber[]): void {
    const receivers = knowing(subscribers, envelope.action.type);
    this.#delivery.enqueue({ frame: actionFrame(JSON.stringify(envelope)), receivers });
  }

  /** Sent to the sender only. It takes no new `serverSeq`, because nothing changed. */
  reject(sender: Subscriber, envelope: ActionEnvelope): void {
    const code = envelope.rejection?.code ?? 'unknown';
    this.#rejections.set(code, (this.#rejections.get(code) ?? 0) + 1);
    this.answer(sender, envelope);
  }

  /** Like `reject`, for an answer that must not be sent before its source is stored. */
  answer(sender: Subscriber, envelope: ActionEnvelope, waits: Pick<PublishOptions, 'source' | 'tag'> = {}): void {
    this.#delivery.enqueue({ frame: actionFrame(JSON.stringify(envelope)), receivers: [sender], ...waits });
  }
}

const AROUND_ENVELOPE = around('{"jsonrpc":"2.0","method":"action","params":{"envelope":', '}}');

function actionFrame(envelopeJson: string, bytes?: number): EncodedFrame {
  return new EncodedFrame(envelopeJson, AROUND_ENVELOPE, bytes);
}

/** The subscribers whose protocol version has the action. */
function knowing(subscribers: readonly Subscriber[], type: Action['type']): readonly Subscriber[] {
  const introduced = ACTION_INTRODUCED_IN[type];
  if (introduced <= MIN_PROTOCOL_VERSION) return subscribers;
  return subscribers.filter((subscriber) => subscriber.protocolVersion >= introduced);
}

/** The subscribers of one resource. The list is replaced, never mutated, so that frames on their way keep their receivers. */
export class SubscriberList {
  #list: readonly Subscriber[] = [];

  get list(): readonly Subscriber[] {
    return this.#list;
  }

  add(subscriber: Subscriber): boolean {
    if (this.#list.includes(subscriber)) return false;
    this.#list = [...this.#list, subscriber];
    return true;
  }

  remove(subscriber: Subscriber): boolean {
    const rest = this.#list.filter((other) => other !== subscriber);
    const removed = rest.length < this.#list.length;
    this.#list = rest;
    return removed;
  }
}

/** The host's counter of `serverSeq`. */
export interface SequenceSource {
  /** The highest number that this run, or any earlier run of the host, may have used. */
  readonly current: number;
  next(): number;
}
