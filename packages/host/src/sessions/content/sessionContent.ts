import { type ContentRange, type ContentRef, ERROR_CODE, MAX_CONTENT_RANGE } from '@agenthost/protocol';
import { contentUri, type FetchContentResult } from '@agenthost/protocol/internal';
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
  /** What a tool printed could not be stored. Whether that ended the turn which printed it. */
  readonly onError: (error: unknown) => boolean;
  /** Whether what is stored as a whole has to be on the disk itself. */
  readonly sync?: boolean;
}

const FOLDER = 'files';
/** Contents whose files are remembered: those that are being written or read. */
const MAX_FILES = 64;

/** What is too large for the state: in the session's `files/`, referred to by URI, read in pieces. */
export class SessionContent {
  readonly #options: SessionContentOptions;
  readonly #queue: ContentQueue;
  readonly #files = new Map<string, ContentFile>();
  #failures = 0;
  #lastError: unknown;
  /** A failure that ended no turn: whoever waits for what was stored is told, once. */
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

  /** `undefined` where the session has no place for files: then what is in the state is all there is. */
  ref(contentId: string, sizeHint?: number): ContentRef | undefined {
    const { fs, provider, sessionId } = this.#options;
    if (fs.sessionStatePath === undefined) return undefined;
    const uri = contentUri(provider, sessionId, contentId);
    return { uri, mimeType: contentTypeOf(contentId), ...(sizeHint !== undefined && { sizeHint }) };
  }

  /** Goes to disk while more of it is still being made. */
  append(contentId: string, text: string): void {
    this.#queue.append(contentId, text);
  }

  /** Goes to disk as a whole, behind what waits already. Resolves with whether it could be stored. */
  storeSoon(contentId: string, bytes: Uint8Array): Promise<boolean> {
    return this.#queue.store(contentId, bytes);
  }

  /** Stores a content as a whole: it is there when this resolves, and never by half. */
  async store(contentId: string, bytes: Uint8Array): Promise<void> {
    await this.#makeFolder();
    await this.#file(contentId).write(bytes, { sync: this.#options.sync ?? false });
  }

  /** How many bytes it has; `undefined` where there is no such content. */
  async sizeOf(contentId: string): Promise<number | undefined> {
    return this.#file(contentId)
      .size()
      .catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw error;
      });
  }

  /** The ids of all contents that begin like this. */
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
    // What is asked for may have been told of already, and be on its way there.
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

  /** Rejects when something that waits now, or failed before and was told to nobody, could not be stored. */
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
    const [oldest] = this.#files.keys();
    if (oldest !== undefined && this.#files.size >= MAX_FILES) this.#files.delete(oldest);
    const file = new ContentFile(this.#options.fs, this.#path(contentId));
    this.#files.set(contentId, file);
    return file;
  }

  /** A content id has no separator and no leading dot (`contentUri`), so that this leads nowhere else. */
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
