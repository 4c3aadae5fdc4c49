import type { ClientAction } from '@agenthost/protocol';
import type { Subscriber } from '../state/publisher.js';

interface Waiting {
  readonly clientSeq: number;
  readonly action: ClientAction;
  readonly sender: Subscriber;
  /** `undefined` until the owner has given one: then nothing was sent there yet. */
  route: number | undefined;
}

/**
 * Who waits for the fate of which action at the owner of a session. A client that comes back sends again what was not answered: then
 * two of its connections wait for the same number. The owner may refuse the first copy and accept the second, so that each answer
 * counts for the connection alone whose copy it is about (FOL2).
 */
export class WaitingSenders {
  readonly #byNumber = new Map<string, Waiting[]>();

  get size(): number {
    return this.#byNumber.size;
  }

  /** Connections that have ended since wait no longer, and so they don't gather. */
  add(client: string, clientSeq: number, action: ClientAction, sender: Subscriber): void {
    const at = keyOf(client, clientSeq);
    const others = (this.#byNumber.get(at) ?? []).filter((one) => one.sender.isOpen !== false && one.sender !== sender);
    this.#byNumber.set(at, [...others, { clientSeq, action, sender, route: undefined }]);
  }

  sent(client: string, clientSeq: number, sender: Subscriber, route: number | undefined): void {
    const found = this.#byNumber.get(keyOf(client, clientSeq))?.find((one) => one.sender === sender);
    if (found) found.route = route;
  }

  /** Whom an answer is for. An older host does not say the route: then the newest of them. */
  take(client: string, clientSeq: number, route: number | undefined): Subscriber | undefined {
    const at = keyOf(client, clientSeq);
    const waiting = this.#byNumber.get(at) ?? [];
    const found = route === undefined ? waiting.at(-1) : waiting.find((one) => one.route === route);
    const left = waiting.filter((one) => one !== found);
    if (left.length > 0) this.#byNumber.set(at, left);
    else this.#byNumber.delete(at);
    return found?.sender;
  }

  /** It was accepted, whichever copy: nobody waits for that number any more. The newest is told. */
  takeAll(client: string, clientSeq: number): Subscriber | undefined {
    const at = keyOf(client, clientSeq);
    const newest = this.#byNumber.get(at)?.findLast(({ sender }) => sender.isOpen !== false);
    this.#byNumber.delete(at);
    return newest?.sender;
  }

  /** In the order in which they came. */
  get list(): readonly Waiting[] {
    return [...this.#byNumber.values()].flat().filter(({ sender }) => sender.isOpen !== false);
  }

  /** All of them, who wait no longer. */
  clear(): readonly Subscriber[] {
    const all = [...this.#byNumber.values()].flat().map(({ sender }) => sender);
    this.#byNumber.clear();
    return all;
  }
}

function keyOf(client: string, clientSeq: number): string {
  return `${client}\0${clientSeq}`;
}
