/** What is written at once at the most, so that a slow store is asked rarely and a large one never for too much. */
const MAX_WRITE_BYTES = 512 * 1024;

interface Entry {
  readonly contentId: string;
  readonly chunks: Buffer[];
  bytes: number;
  readonly written: PromiseWithResolvers<void>;
}

export interface ContentQueueOptions {
  readonly write: (contentId: string, bytes: Uint8Array) => Promise<void>;
  /** A write failed: nothing more is written to that content, which would have a hole. */
  readonly onError: (error: unknown) => void;
}

/** Appends to contents, in order, one write at a time; what comes meanwhile for the same content goes with the next one. */
export class ContentQueue {
  readonly #options: ContentQueueOptions;
  readonly #entries: Entry[] = [];
  readonly #broken = new Set<string>();
  #waitingBytes = 0;
  #isWriting = false;

  constructor(options: ContentQueueOptions) {
    this.#options = options;
  }

  /** Whoever produces should wait while this is high: the queue itself never drops anything. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  append(contentId: string, text: string): void {
    if (this.#broken.has(contentId)) return;
    const chunk = Buffer.from(text);
    const last = this.#entries.at(-1);
    // The first one is on its way already.
    if (last && this.#entries.length > 1 && last.contentId === contentId && last.bytes < MAX_WRITE_BYTES) {
      last.chunks.push(chunk);
      last.bytes += chunk.length;
    } else {
      this.#entries.push({ contentId, chunks: [chunk], bytes: chunk.length, written: Promise.withResolvers() });
    }
    this.#waitingBytes += chunk.length;
    if (!this.#isWriting) void this.#writeAll();
  }

  /** Resolves when everything that was appended so far is written, or has failed to be. */
  settled(): Promise<void> {
    return this.#entries.at(-1)?.written.promise ?? Promise.resolve();
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    for (let entry = this.#entries[0]; entry; entry = this.#entries[0]) {
      try {
        if (!this.#broken.has(entry.contentId)) {
          await this.#options.write(entry.contentId, Buffer.concat(entry.chunks));
        }
      } catch (error) {
        this.#broken.add(entry.contentId);
        this.#options.onError(error);
      }
      this.#waitingBytes -= entry.bytes;
      this.#entries.shift();
      entry.written.resolve();
    }
    this.#isWriting = false;
  }
}
