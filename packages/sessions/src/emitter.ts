import { type Disposable, Listeners } from '@agenthost/client';
import { reportFailure } from './providers/reportFailure.js';

/**
 * Something that happens. Contract: a listener is called for what happens after it was added and until it is disposed; one
 * that throws harms no other.
 */
export type Event<T> = (listener: (event: T) => void) => Disposable;

export class Emitter<T> {
  readonly #listeners = new Listeners<T>(reportFailure);

  readonly event: Event<T> = (listener) => this.#listeners.add(listener);

  fire(event: T): void {
    this.#listeners.emit(() => event);
  }
}
