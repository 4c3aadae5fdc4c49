import type { Notification } from '@agenthost/protocol';
import type { Reach } from '../database/reach.js';

const LOOK_MS = 500;
/** Longer than between two beats of the default lease: a single slow statement is no reason. */
const AWAY_MS = 3_000;
/** For clients that came meanwhile. */
const AGAIN_MS = 5_000;

const AWAY = "The database isn't answering. What you send stays pending, and is stored once when it is back.";

/** Tells clients while nothing can be stored. */
export class DatabaseNotice {
  readonly #reach: Reach;
  readonly #tell: (notification: Notification) => void;
  readonly #timer: NodeJS.Timeout;
  #toldAt: number | undefined;

  /** `tell` must not wait for what is to be stored. */
  constructor(reach: Reach, tell: (notification: Notification) => void) {
    this.#reach = reach;
    this.#tell = tell;
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  dispose(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const isAway = this.#reach.awayMs > AWAY_MS;
    if (isAway && (this.#toldAt === undefined || performance.now() - this.#toldAt > AGAIN_MS)) {
      this.#toldAt = performance.now();
      this.#tell({ type: 'notify/progress', token: 'database', message: AWAY, done: 0, total: 1 });
    } else if (!isAway && this.#toldAt !== undefined) {
      this.#toldAt = undefined;
      this.#tell({ type: 'notify/progress', token: 'database', message: 'The database is back.', done: 1, total: 1 });
    }
  }
}
