import type { Subscriber } from './publisher.js';

/** Who is subscribed to one resource. The list is replaced, never changed, so that what is under way keeps its receivers. */
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
