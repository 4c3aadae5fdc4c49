import { type ContentRange, type ContentRef, ERROR_CODE, MAX_CONTENT_RANGE } from '@agenthost/protocol';
import { contentUri, dropOldest, type FetchContentResult } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import { locateWithin } from '../../storage/artifacts/artifactFolder.js';
import { type SessionFs, SessionFsFailure } from '../../storage/fs/sessionFs.js';
import { ContentFile } from './contentFile.js';
import { encoded } from './contentPiece.js';
import { ContentQueue } from './contentQueue.js';
import { contentTypeOf } from './contentType.js';

export interface SessionContentOptions {
  readonly fs: SessionFs;
  readonly provider: string;
  readonly sessionId: string;
  /** Called when a tool's output could not be stored. Returns whether that ended its turn. */
  readonly onError: (error: unknown) => boolean;
  /** Whether contents that are stored as a whole are synced to the disk. */
  readonly sync?: boolean;
}

const FOLDER = 'files';
/** Cached files: those that are being written or read. */
const MAX_FILES = 64;

/** Content that is too large for the state: in the session's `files/`, referred to by URI, read in ranges. */
export class SessionContent {
  readonly #options: SessionContentOptions;
  readonly #queue: ContentQueue;
  readonly #files = new Map<string, ContentFile>();
  #failures = 0;
  #lastError: unknown;
  /** A failure that ended no turn. The next caller of `stored` gets it, once. */
  #untold: { readonly error: unknown } | undefined;
  #hasFolder = false;

  constructor(options: SessionContentOptions) {
    this.#options = options;
    this.#queue = new ContentQueue({
      append: async (contentId, bytes) => {
        await this.#makeFolder();
        await this.#file(contentId).append(bytes);
      },
      store: (contentId, bytes) => this.store(contentId, bytes),
      onError: (error) => {
        this.#failures += 1;
        this.#lastError = error;
        if (!options.onError(error)) this.#untold = { error };
      },
    });
  }

  /** Bytes that are not written yet. */
  get waitingBytes(): number {
    return this.#queue.waitingBytes;
  }

  /** `undefined` if the session has no folder: then only the state has the content. */
  ref(contentId: string, sizeHint?: number): ContentRef | undefined {
    const { fs, provider, sessionId } = this.#options;
    if (fs.sessionStatePath === undefined) return undefined;
    const uri = contentUri(provider, sessionId, contentId);
    return { uri, mimeType: contentTypeOf(contentId), ...(sizeHint !== undefined && { sizeHint }) };
  }

  /** Appends to a content that is still being produced. */
  append(contentId: string, text: string): void {
    this.#queue.append(contentId, text);
  }

  /** Stores a whole content after the writes that wait already. Resolves with whether it was stored. */
  storeSoon(contentId: string, bytes: Uint8Array): Promise<boolean> {
    return this.#queue.store(contentId, bytes);
  }

  /** Stores a whole content, atomically. */
  async store(contentId: string, bytes: Uint8Array): Promise<void> {
    await this.#makeFolder();
    await this.#file(contentId).write(bytes, { sync: this.#options.sync ?? false });
  }

  /** The size in bytes; `undefined` if there is no such content. */
  async sizeOf(contentId: string): Promise<number | undefined> {
    return this.#file(contentId)
      .size()
      .catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw error;
      });
  }

  /** The ids of all contents with this prefix. */
  async list(prefix: string): Promise<string[]> {
    const { fs } = this.#options;
    if (fs.sessionStatePath === undefined) return [];
    const entries = await fs.readdir(fs.join(fs.sessionStatePath, FOLDER)).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    return entries.filter((name) => name.startsWith(prefix));
  }

  async readAll(contentId: string): Promise<Uint8Array> {
    const file = this.#file(contentId);
    return file.read(0, await file.size());
  }

  async read(
    contentId: string,
    range: ContentRange = { offset: 0, length: MAX_CONTENT_RANGE },
  ): Promise<FetchContentResult> {
    // A client may know the content already although it is still being written.
    await this.#queue.settled();
    const file = this.#file(contentId);
    try {
      await locateWithin(this.#options.fs, this.#folder(), this.#path(contentId));
      const size = await file.size();
      const length = Math.max(Math.min(range.length, size - range.offset), 0);
      const bytes = length === 0 ? new Uint8Array() : await file.read(range.offset, length);
      return { ...encoded(bytes), mimeType: contentTypeOf(contentId), size };
    } catch (error) {
      if (!isMissing(error)) throw error;
      throw new RpcError(ERROR_CODE.contentNotFound, `no content ${contentId} in this session`, { cause: error });
    }
  }

  settled(): Promise<void> {
    return this.#queue.settled();
  }

  /** Resolves when all writes are done. Rejects when one of them, or an earlier one that was not reported yet, failed. */
  async stored(): Promise<void> {
    const before = this.#failures;
    await this.#queue.settled();
    const untold = this.#untold;
    this.#untold = undefined;
    if (untold) throw untold.error;
    if (this.#failures > before) throw this.#lastError;
  }

  async #makeFolder(): Promise<void> {
    if (this.#hasFolder) return;
    const { fs } = this.#options;
    await fs.mkdir(this.#folder(), { recursive: true });
    this.#hasFolder = true;
  }

  #file(contentId: string): ContentFile {
    const known = this.#files.get(contentId);
    if (known) return known;
    dropOldest(this.#files, MAX_FILES - 1);
    const file = new ContentFile(this.#options.fs, this.#path(contentId));
    this.#files.set(contentId, file);
    return file;
  }

  /** A content id has no separator and no leading dot (`contentUri`), so that the path stays inside the folder. */
  #path(contentId: string): string {
    return this.#options.fs.join(this.#folder(), contentId);
  }

  #folder(): string {
    const { fs } = this.#options;
    return fs.join(fs.sessionStatePath ?? fs.tmpdir, FOLDER);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof SessionFsFailure && error.code === 'ENOENT';
}
