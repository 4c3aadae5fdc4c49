import { type ClientAction, errorMessage, type Refusal, refuse, type UserMessage } from '@agenthost/protocol';
import { ContentRefused, PastedContent } from '../content/pastedContent.js';
import { notStored } from './notStored.js';

/** Bytes of messages of one session that may wait for their content to be stored; more are refused. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
/** What an action without such content counts, that waits behind one. */
const SMALL_BYTES = 1_024;

export interface Taken {
  /** As it goes into the state. */
  readonly action: ClientAction;
  /** Why it can't be taken. */
  readonly refusal?: Refusal;
}

export interface Passing {
  /** Asked before anything is stored. */
  readonly isWanted: () => boolean;
  /** Whether it can be judged at once; where it can't, `lookUp` finds out what is missing, right before it is taken. */
  readonly isKnown: () => boolean;
  readonly lookUp: () => Promise<void>;
  readonly take: (taken: Taken) => void;
}

/**
 * Lets clients' actions through in their order. One with large content waits until that is stored, one that can't be judged yet
 * until it can, and with it those that the same client sent behind it; nobody else has to wait.
 */
export class MessageIntake {
  readonly #keep: (message: UserMessage) => Promise<UserMessage>;
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Map<string, Promise<void>>();
  #waitingBytes = 0;

  constructor(keep: (message: UserMessage) => Promise<UserMessage>, onError: (error: unknown) => void) {
    this.#keep = keep;
    this.#onError = onError;
  }

  get isBusy(): boolean {
    return this.#waiting.size > 0;
  }

  /** `take` is called once, at once where nothing is to be waited for. */
  pass(clientId: string, action: ClientAction, { isWanted, isKnown, lookUp, take }: Passing): void {
    const message = 'userMessage' in action ? action.userMessage : undefined;
    const load = message && PastedContent.loadOf(message);
    const before = this.#waiting.get(clientId);
    if (!before && isKnown() && (!message || load === undefined || !isWanted())) {
      take({ action });
      return;
    }
    const bytes = (load ?? 0) + SMALL_BYTES;
    if (this.#waitingBytes + bytes > MAX_WAITING_BYTES) {
      take({ action, refusal: refuse('contentBusy') });
      return;
    }
    this.#waitingBytes += bytes;
    const passing = (before ?? Promise.resolve())
      .then(async () => {
        const isToBeKept = message !== undefined && load !== undefined && isWanted();
        const kept = isToBeKept ? await this.#kept(action, message) : { action };
        const taken = isKnown() ? kept : await this.#lookedUp(kept, lookUp);
        this.#waitingBytes -= bytes;
        // Before it is told: what comes from within that is not behind this one any more.
        if (this.#waiting.get(clientId) === passing) this.#waiting.delete(clientId);
        take(taken);
      })
      .catch(this.#onError);
    this.#waiting.set(clientId, passing);
  }

  /** Resolves when nothing waits any more. */
  async settled(): Promise<void> {
    while (this.isBusy) await Promise.allSettled(this.#waiting.values());
  }

  async #lookedUp(taken: Taken, lookUp: () => Promise<void>): Promise<Taken> {
    try {
      await lookUp();
      return taken;
    } catch (error) {
      return { refusal: refuse('notChecked', { detail: errorMessage(error) }), ...taken };
    }
  }

  async #kept(action: ClientAction, message: UserMessage): Promise<Taken> {
    try {
      return { action: { ...action, userMessage: await this.#keep(message) } as ClientAction };
    } catch (error) {
      return { action, refusal: error instanceof ContentRefused ? error.refusal : notStored(error) };
    }
  }
}
