import { closeSync, fstatSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { errorMessage } from '@agenthost/protocol/internal';
import type { HostLog } from '../hostLog.js';
import type { Place, WaitingSession, WebhookQueue } from './webhookStore.js';

/** It is written anew when it is larger than this and most of it is of no use any more. */
const MAX_USELESS_BYTES = 256 * 1024;

const CURSOR = /^\d{1,15}-\d{1,15}-\d{1,15}-[0-9a-f]{8}$/;

/** A session with events that wait, or one without (`end`). */
interface Line extends WaitingSession {
  readonly end?: true;
}

/**
 * The queue of a webhook in a file, a line for each step. Lines are written at once and in order, because a session must be named here
 * before the first of its events is in its log. A session without a line has nothing waiting: what it does next has a higher number
 * than all that was told of any session.
 */
export class QueueFile implements WebhookQueue {
  readonly #path: string;
  readonly #log: HostLog;
  readonly #waiting = new Map<string, WaitingSession>();
  #told: number;
  #file: number | undefined;
  #bytes = 0;
  #usefulBytes = 0;
  #hasFailed = false;

  /** `since`: what has this number, or a lower one, is not to be told. */
  constructor(path: string, since: number, log: HostLog) {
    this.#path = path;
    this.#told = since;
    this.#log = log;
    this.#load();
  }

  async waiting(): Promise<readonly WaitingSession[]> {
    return [...this.#waiting.values()];
  }

  begin(waiting: WaitingSession): void {
    this.#put(waiting);
  }

  get place(): Place {
    return { seq: this.#told };
  }

  keep(waiting: WaitingSession): void {
    this.#put(waiting);
  }

  end({ session, seq }: WaitingSession): void {
    this.#waiting.delete(session);
    this.#told = Math.max(this.#told, seq);
    this.#write({ session, seq, end: true });
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #put(waiting: WaitingSession): void {
    this.#waiting.set(waiting.session, waiting);
    this.#write(waiting);
  }

  #load(): void {
    for (const text of readLines(this.#path)) {
      const line = parsed(text);
      if (!line) continue;
      const { end, ...waiting } = line;
      if (end) this.#told = Math.max(this.#told, waiting.seq);
      if (end) this.#waiting.delete(waiting.session);
      else this.#waiting.set(waiting.session, waiting);
    }
    this.#rewrite();
  }

  #write(line: Line): void {
    this.#attempt(() => {
      this.#file ??= this.#open();
      this.#bytes += writeSync(this.#file, `${JSON.stringify(line)}\n`);
      if (this.#bytes > 2 * this.#usefulBytes + MAX_USELESS_BYTES) this.#rewrite();
    });
  }

  #rewrite(): void {
    this.#attempt(() => {
      const told: Line = { session: '', seq: this.#told, end: true };
      const text = [told, ...this.#waiting.values()].map((line) => `${JSON.stringify(line)}\n`).join('');
      this.close();
      writeFileSync(`${this.#path}.new`, text, { mode: 0o600 });
      renameSync(`${this.#path}.new`, this.#path);
      this.#usefulBytes = Buffer.byteLength(text);
    });
  }

  #open(): number {
    const file = openSync(this.#path, 'a', 0o600);
    this.#bytes = fstatSync(file).size;
    return file;
  }

  #attempt(work: () => void): void {
    try {
      work();
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed)
        this.#log.error(
          `the queue of a webhook could not be written (${errorMessage(error)}): a crash may lose events`,
        );
      this.#hasFailed = true;
    }
  }
}

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** The last line of a killed host may be cut off. */
function parsed(text: string): Line | undefined {
  try {
    const line = JSON.parse(text) as { -readonly [K in keyof Line]?: Line[K] };
    const isWhole = typeof line.session === 'string' && Number.isFinite(line.seq);
    // Without its place it is read from its beginning, and what was told is told by its number.
    if (line.cursor !== undefined && !CURSOR.test(String(line.cursor))) delete line.cursor;
    return isWhole ? (line as Line) : undefined;
  } catch {
    return undefined;
  }
}
