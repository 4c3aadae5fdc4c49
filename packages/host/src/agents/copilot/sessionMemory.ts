import type { FileChangeSummary } from '@agenthost/protocol';
import { replaceFile } from '../../storage/fs/replaceFile.js';
import type { SessionFs } from '../../storage/fs/sessionFs.js';
import { MAX_CHANGES } from '../events/agentEventMapper.js';

interface Remembered {
  /** The user's messages in a turn that hasn't ended, and the open questions. */
  readonly turn?: { readonly text: string; readonly askedFor?: string };
  readonly changes: readonly FileChangeSummary[];
}

const FILE = 'agenthost.json';
const MAX_QUOTED = 4_000;

/**
 * Remembers an unfinished turn. When Copilot is killed while it waits for a permission, it has lost the whole turn and doesn't ask
 * again when it is resumed: the next message then describes the turn, so that the model continues it and Copilot asks again.
 */
export class SessionMemory {
  readonly #sessionFs: SessionFs;
  readonly #path: string;
  #now: Remembered = { changes: [] };
  #interrupted: Remembered['turn'];
  #stored: Promise<void> = Promise.resolve();

  constructor(sessionFs: SessionFs, folder: string) {
    this.#sessionFs = sessionFs;
    this.#path = sessionFs.join(folder, FILE);
  }

  get changes(): readonly FileChangeSummary[] {
    return this.#now.changes;
  }

  /** Reads what the previous session left. */
  async load(): Promise<void> {
    try {
      const { turn, changes } = JSON.parse(await this.#sessionFs.readFile(this.#path)) as Partial<Remembered>;
      this.#now = { changes: Array.isArray(changes) ? changes : [] };
      if (typeof turn?.text === 'string') this.#interrupted = turn;
    } catch {
      // A missing or unreadable file means that nothing is known.
    }
  }

  /** The message as Copilot gets it. */
  begin(text: string): string {
    const interrupted = this.#interrupted;
    this.#interrupted = undefined;
    this.#store({ ...this.#now, turn: { text: text.slice(0, MAX_QUOTED) } });
    return interrupted ? `${recap(interrupted)}\n\n${text}` : text;
  }

  asksFor(what: string): void {
    const { turn } = this.#now;
    if (turn) this.#store({ ...this.#now, turn: { ...turn, askedFor: what.slice(0, MAX_QUOTED) } });
  }

  setChanges(changes: readonly FileChangeSummary[]): void {
    this.#store({ ...this.#now, changes: changes.slice(-MAX_CHANGES) });
  }

  end(): void {
    this.#store({ changes: this.#now.changes });
  }

  /** Resolves when all is written, or failed. */
  stored(): Promise<void> {
    return this.#stored;
  }

  #store(next: Remembered): void {
    if (JSON.stringify(next) === JSON.stringify(this.#now)) return;
    this.#now = next;
    this.#stored = this.#stored.then(async () => {
      // Only the newest state is written; those in between are skipped.
      if (this.#now !== next) return;
      try {
        // Whole or not at all: it is read after a kill.
        await replaceFile(this.#sessionFs, this.#path, JSON.stringify(next));
      } catch {
        // A failure only loses the recap after a crash; the session's own log reports storage problems.
      }
    });
  }
}

function recap({ text, askedFor }: NonNullable<Remembered['turn']>): string {
  const waiting =
    askedFor === undefined
      ? ''
      : ` You were waiting for permission: ${askedFor}. It was neither given nor refused, and nothing of it was done;` +
        ' if it is still needed, ask for it again.';
  return (
    '[This session was interrupted before you finished; you may have lost what you did since. ' +
    `The message you were working on was: ${JSON.stringify(text)}.${waiting}]`
  );
}
