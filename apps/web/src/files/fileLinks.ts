import type { CheckedFile } from '@agenthost/protocol';

/** Texts of one answer come together. */
const PAUSE_MS = 40;
/** Of one request. */
const MOST_ASKED = 100;
const MOST_KEPT = 3_000;

type Check = (paths: readonly string[]) => Promise<readonly CheckedFile[]>;

/** Which of the paths that a conversation names are files of its folder. Asked together, and remembered. */
export class FileLinks {
  readonly #check: Check;
  /** `undefined` while it is not known, or there is none. */
  readonly #known = new Map<string, CheckedFile | undefined>();
  readonly #waiting = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #round = 0;

  constructor(check: Check) {
    this.#check = check;
  }

  /** Another one after each `lookAgain`. */
  get round(): number {
    return this.#round;
  }

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  };

  get(path: string): CheckedFile | undefined {
    return this.#known.get(path);
  }

  want(path: string): void {
    if (this.#known.has(path)) return;
    for (const oldest of this.#known.keys()) {
      if (this.#known.size < MOST_KEPT) break;
      this.#known.delete(oldest);
    }
    this.#known.set(path, undefined);
    this.#waiting.add(path);
    this.#timer ??= setTimeout(() => void this.#ask(), PAUSE_MS);
  }

  /** Files may have come: those that were not there are looked for again. */
  lookAgain(): void {
    for (const [path, found] of this.#known) if (!found && !this.#waiting.has(path)) this.#known.delete(path);
    this.#round++;
    this.#tell();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  async #ask(): Promise<void> {
    const paths = [...this.#waiting].slice(0, MOST_ASKED);
    for (const path of paths) this.#waiting.delete(path);
    this.#timer = this.#waiting.size > 0 ? setTimeout(() => void this.#ask(), PAUSE_MS) : undefined;
    try {
      const files = await this.#check(paths);
      for (const file of files) this.#known.set(file.path, file);
      if (files.length > 0) this.#tell();
    } catch {
      // Without an answer they are no links, until the next look.
      for (const path of paths) this.#known.delete(path);
    }
  }

  #tell(): void {
    for (const changed of [...this.#listeners]) changed();
  }
}
