import { type Observable, observable } from '@agenthost/sessions';
import { problemText } from '../app/problemText.js';

export interface UndoOffer {
  /** What was done, as a sentence. */
  readonly text: string;
  /** Missing when it can't be undone: then the text is a problem. */
  readonly undo?: () => void;
}

interface Deed {
  readonly text: string;
  /** Takes back what was done already. */
  readonly undo?: () => Promise<unknown>;
  /** Done when the time to undo is over. */
  readonly commit?: () => Promise<unknown>;
  /** The sessions that are shown as leaving until then. */
  readonly leaving?: readonly string[];
}

const UNDO_MS = 10_000;
const NONE: ReadonlySet<string> = new Set();

/** The last deed that can be undone, for ten seconds. The next one ends that time, and so does the end of the page. */
export class Undos {
  readonly current: Observable<UndoOffer | undefined>;
  /** Sessions that are deleted unless the user undoes it. */
  readonly leaving: Observable<ReadonlySet<string>>;
  readonly #current = observable<UndoOffer | undefined>(undefined);
  readonly #leaving = observable<ReadonlySet<string>>(NONE);
  #end: (() => void) | undefined;

  constructor() {
    this.current = this.#current;
    this.leaving = this.#leaving;
    window.addEventListener('pagehide', () => this.#end?.());
  }

  offer({ text, undo, commit, leaving = [] }: Deed): void {
    this.#end?.();
    const close = () => {
      clearTimeout(timer);
      this.#end = undefined;
      this.#current.set(undefined);
    };
    const stay = () => this.#leaving.set(NONE);
    const end = () => {
      close();
      commit?.()
        .catch((error: unknown) => this.#current.set({ text: problemText(error) }))
        .finally(stay);
    };
    const timer = setTimeout(end, UNDO_MS);
    this.#end = end;
    this.#leaving.set(new Set(leaving));
    this.#current.set({
      text,
      undo: () => {
        close();
        stay();
        undo?.().catch((error: unknown) => this.#current.set({ text: problemText(error) }));
      },
    });
  }

  dismiss(): void {
    if (this.#end) this.#end();
    else this.#current.set(undefined);
  }
}
