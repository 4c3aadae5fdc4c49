import { createHash } from 'node:crypto';
import type { ContentRef, ToolCallResult } from '@agenthost/protocol';
import type { AgentToolResult } from '../../agents/agent.js';
import { mapFileEdits } from '../../agents/events/mapFileEdits.js';
import type { SessionContent } from './sessionContent.js';

const PREFIX = 'edited-';
const MEBI = 1024 * 1024;
/** Of one file, and of all that a session keeps; past that an edit has no contents, only its diff. */
export const EDITED_FILE_LIMITS = { fileBytes: MEBI, sessionBytes: 128 * MEBI, sessionFiles: 4_000 };
/** What a file was after one edit is mostly what it is before the next: so many are not stored twice. */
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

  /** Counts what is there from before. To be awaited before the agent can report anything. */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /** With references to what was stored, or without contents: never with one side of two. */
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
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > MAX_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
    return ref;
  }

  async #load(): Promise<void> {
    for (const contentId of await this.#content.list(PREFIX)) {
      this.#files += 1;
      this.#bytes += (await this.#content.sizeOf(contentId)) ?? 0;
    }
  }
}
