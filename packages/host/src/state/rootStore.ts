import {
  type AgentInfo,
  createRootState,
  ROOT_URI,
  type RootAction,
  type RootState,
  rootReducer,
  type Snapshot,
} from '@agenthost/protocol';
import { type Publisher, type SequenceSource, type Subscriber, SubscriberList } from './publisher.js';

/** The root state: agents and their models. */
export class RootStore {
  readonly #publisher: Publisher;
  readonly #sequence: SequenceSource;
  readonly #subscribers = new SubscriberList();
  #state: RootState = createRootState();

  constructor(publisher: Publisher, sequence: SequenceSource) {
    this.#publisher = publisher;
    this.#sequence = sequence;
  }

  get state(): RootState {
    return this.#state;
  }

  setAgents(agents: readonly AgentInfo[]): void {
    const action: RootAction = { type: 'root/agentsChanged', agents };
    this.#state = rootReducer(this.#state, action);
    const envelope = { action, serverSeq: this.#sequence.next() };
    this.#publisher.publish({ resource: ROOT_URI, envelope, subscribers: this.#subscribers.list });
  }

  subscribe(subscriber: Subscriber): Snapshot {
    this.resume(subscriber);
    return { resource: ROOT_URI, state: this.#state, fromSeq: this.#sequence.current };
  }

  /** Subscribes a client that gets what it missed by replay. */
  resume(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
  }

  unsubscribe(subscriber: Subscriber): void {
    this.#subscribers.remove(subscriber);
  }
}
