import { createHash } from 'node:crypto';
import type { ContentRef, ToolCallResult } from '@agenthost/protocol';
import { dropOldest } from '@agenthost/protocol/internal';
import type { AgentToolResult } from '../../agents/agent.js';
import { mapFileEdits } from '../../agents/events/mapFileEdits.js';
import type { SessionContent } from './sessionContent.js';

const PREFIX = 'edited-';
const MEBI = 1024 * 1024;
/** Bytes of one file and of all files that a session keeps. Beyond that an edit has only its diff. */
export const EDITED_FILE_LIMITS = { fileBytes: MEBI, sessionBytes: 128 * MEBI, sessionFiles: 4_000 };
/** Remembered contents, to store each once: the file after one edit is mostly the file before the next. */
const MAX_REMEMBERED = 200;

/** The whole contents of files before and after the edits of tools, kept in the session's content. */
export class EditedFiles {
  readonly #content: SessionContent;
  readonly #newId: () => string;
  readonly #limits: typeof EDITED_FILE_LIMITS;
  /** By the hash of the content. */
  readonly #remembered = new Map<string, ContentRef>();
  #loading: Promise<void> | undefined;
  #files = 0;
  #bytes = 0;

  constructor(content: SessionContent, newId: () => string, limits = EDITED_FILE_LIMITS) {
    this.#content = content;
    this.#newId = newId;
    this.#limits = limits;
  }

  /** Counts the stored files. Await it before the agent can report anything. */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /** The result with references to both contents, or to none: never to only one of two. */
  keep(result: AgentToolResult): ToolCallResult {
    return mapFileEdits(result, ({ before, after }) => {
      const sides = before === null ? [after] : [before, after];
      const refs = this.#hasRoom(sides) ? sides.map((text) => this.#stored(text)) : [];
      const [last, first] = refs.toReversed();
      if (!last || refs.includes(undefined)) return {};
      return { ...(first && { before: first }), after: last };
    });
  }

  #hasRoom(texts: readonly string[]): boolean {
    const { fileBytes, sessionBytes, sessionFiles } = this.#limits;
    const sizes = texts.map((text) => Buffer.byteLength(text));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const fits = sizes.every((size) => size <= fileBytes);
    return fits && this.#bytes + total <= sessionBytes && this.#files + texts.length <= sessionFiles;
  }

  #stored(text: string): ContentRef | undefined {
    const hash = createHash('sha256').update(text).digest('base64');
    const known = this.#remembered.get(hash);
    if (known) return known;
    const contentId = `${PREFIX}${createHash('sha256').update(this.#newId()).digest('hex').slice(0, 24)}.txt`;
    const bytes = Buffer.byteLength(text);
    const ref = this.#content.ref(contentId, bytes);
    if (!ref) return undefined;
    this.#content.append(contentId, text);
    this.#files += 1;
    this.#bytes += bytes;
    this.#remembered.set(hash, ref);
    dropOldest(this.#remembered, MAX_REMEMBERED);
    return ref;
  }

  async #load(): Promise<void> {
    for (const contentId of await this.#content.list(PREFIX)) {
      this.#files += 1;
      this.#bytes += (await this.#content.sizeOf(contentId)) ?? 0;
    }
  }
}
