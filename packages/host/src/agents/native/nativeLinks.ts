import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { URI } from '@agenthost/protocol';
import { readSmallFile } from '../../storage/fs/foreignFile.js';
import { writePrivateFile } from '../../storage/fs/writePrivateFile.js';

/** What this host knows of a conversation in an agent's store. */
export interface NativeLink {
  /** The session of this host that uses it. */
  readonly session: URI;
  /** It was begun by this host, so it is not one from a terminal. */
  readonly isOurs: boolean;
  /** The native id of its last turn when this host looked last. */
  readonly lastTurnId?: string | undefined;
}

const MAX_LINKS = 50_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** Which native conversations belong to which sessions, in a file with a line for each change. The last one counts. */
export class NativeLinks {
  readonly #path: string;
  readonly #links = new Map<string, NativeLink>();
  readonly #loaded: Promise<void>;
  readonly #onError: (error: unknown) => void;
  #lines = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string, onError: (error: unknown) => void) {
    this.#path = path;
    this.#onError = onError;
    this.#loaded = this.#load();
  }

  async get(id: string): Promise<NativeLink | undefined> {
    await this.#loaded;
    return this.#links.get(id);
  }

  async all(): Promise<ReadonlyMap<string, NativeLink>> {
    await this.#loaded;
    return this.#links;
  }

  async set(id: string, link: NativeLink): Promise<void> {
    await this.#loaded;
    const before = this.#links.get(id);
    if (before && before.session === link.session && before.lastTurnId === link.lastTurnId) return;
    // The newest at the end: the oldest go first.
    this.#links.delete(id);
    this.#links.set(id, link);
    for (const oldest of this.#links.keys()) {
      if (this.#links.size <= MAX_LINKS) break;
      this.#links.delete(oldest);
    }
    this.#writing = this.#writing.then(() => this.#append(id, link)).catch(this.#onError);
  }

  /** Resolves when everything is written. */
  settled(): Promise<void> {
    return this.#writing;
  }

  async #append(id: string, link: NativeLink): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    if (++this.#lines > this.#links.size * 2 + 1_000) {
      const all = [...this.#links].map(([each, value]) => lineOf(each, value)).join('');
      await writePrivateFile(this.#path, all);
      this.#lines = this.#links.size;
    } else await appendFile(this.#path, lineOf(id, link), { mode: 0o600 });
  }

  async #load(): Promise<void> {
    const text = (await readSmallFile(this.#path, MAX_BYTES)) ?? '';
    for (const line of text.split('\n')) {
      const found = parsed(line);
      if (!found) continue;
      this.#lines++;
      this.#links.delete(found.id);
      this.#links.set(found.id, found.link);
    }
  }
}

function lineOf(id: string, link: NativeLink): string {
  return `${JSON.stringify({ id, ...link })}\n`;
}

function parsed(line: string): { readonly id: string; readonly link: NativeLink } | undefined {
  try {
    const { id, session, isOurs, lastTurnId } = JSON.parse(line) as Record<string, unknown>;
    if (typeof id !== 'string' || typeof session !== 'string') return undefined;
    const last = typeof lastTurnId === 'string' ? { lastTurnId } : {};
    return { id, link: { session, isOurs: isOurs === true, ...last } };
  } catch {
    return undefined;
  }
}
