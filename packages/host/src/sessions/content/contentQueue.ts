/** The largest single write: large enough to keep slow backends from many calls, and bounded for all. */
const MAX_WRITE_BYTES = 512 * 1024;

interface Entry {
  readonly contentId: string;
  readonly chunks: Buffer[];
  bytes: number;
  /** The whole content, instead of an append. */
  readonly isWhole: boolean;
  /** Called with whether it was written. */
  readonly written: PromiseWithResolvers<boolean>;
}

export interface ContentQueueOptions {
  readonly append: (contentId: string, bytes: Uint8Array) => Promise<void>;
  readonly store: (contentId: string, bytes: Uint8Array) => Promise<void>;
  /** A write failed: nothing more is appended to that content, because it would have a gap. */
  readonly onError: (error: unknown) => void;
}

/** Writes contents in order, one write at a time. Appends to the same content that come meanwhile go with the next write. */
export class ContentQueue {
  readonly #options: ContentQueueOptions;
  readonly #entries: Entry[] = [];
  readonly #broken = new Set<string>();
  #waitingBytes = 0;
  #isWriting = false;

  constructor(options: ContentQueueOptions) {
    this.#options = options;
  }

  /** Producers should wait while this is high: the queue never drops anything. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  append(contentId: string, text: string): void {
    if (this.#broken.has(contentId)) return;
    const chunk = Buffer.from(text);
    const last = this.#entries.at(-1);
    // The first one is being written already.
    const isOpen = last && !last.isWhole && this.#entries.length > 1 && last.bytes < MAX_WRITE_BYTES;
    if (isOpen && last.contentId === contentId) {
      last.chunks.push(chunk);
      last.bytes += chunk.length;
      this.#waitingBytes += chunk.length;
    } else void this.#push(contentId, chunk, false);
  }

  /** Writes a whole content. Resolves with whether it was written. */
  store(contentId: string, bytes: Uint8Array): Promise<boolean> {
    return this.#push(contentId, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), true);
  }

  /** Resolves when everything enqueued so far is written or has failed. */
  async settled(): Promise<void> {
    await this.#entries.at(-1)?.written.promise;
  }

  #push(contentId: string, chunk: Buffer, isWhole: boolean): Promise<boolean> {
    const { length: bytes } = chunk;
    const written = Promise.withResolvers<boolean>();
    this.#entries.push({ contentId, chunks: [chunk], bytes, isWhole, written });
    this.#waitingBytes += bytes;
    if (!this.#isWriting) void this.#writeAll();
    return written.promise;
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    for (let entry = this.#entries[0]; entry; entry = this.#entries[0]) {
      let wasWritten = true;
      try {
        const { append, store } = this.#options;
        if (entry.isWhole) await store(entry.contentId, entry.chunks[0] ?? new Uint8Array());
        else if (!this.#broken.has(entry.contentId)) await append(entry.contentId, Buffer.concat(entry.chunks));
      } catch (error) {
        wasWritten = false;
        if (!entry.isWhole) this.#broken.add(entry.contentId);
        this.#options.onError(error);
      }
      this.#waitingBytes -= entry.bytes;
      this.#entries.shift();
      entry.written.resolve(wasWritten);
    }
    this.#isWriting = false;
  }
}
