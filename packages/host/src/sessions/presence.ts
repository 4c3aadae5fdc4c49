import type { Author } from '@agenthost/protocol';
import { sameValue } from '@agenthost/protocol/internal';
import { MAX_LISTED_CLIENTS } from './sessionLimits.js';

/** How long changes are gathered: a thousand clients that reconnect at once must not cause a thousand actions. */
const GATHER_MS = 50;

/** The clients whose users look at a session, published when they changed. */
export class Presence {
  readonly #viewers: () => readonly Author[];
  readonly #tell: (clients: readonly Author[]) => void;
  #told: readonly Author[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(viewers: () => readonly Author[], tell: (clients: readonly Author[]) => void) {
    this.#viewers = viewers;
    this.#tell = tell;
  }

  changed(): void {
    this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS).unref();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #flush(): void {
    this.#timer = undefined;
    const listed = this.#viewers().slice(0, MAX_LISTED_CLIENTS);
    if (sameValue(listed, this.#told)) return;
    this.#told = listed;
    this.#tell(listed);
  }
}
