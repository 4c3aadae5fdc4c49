import {
  type ContentRange,
  type ContentRef,
  contentUri,
  ERROR_CODE,
  type FetchContentResult,
  MAX_CONTENT_RANGE,
} from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { type SessionFs, SessionFsFailure } from '../sessionFs/sessionFs.js';

export interface SessionContentOptions {
  readonly fs: SessionFs;
  readonly provider: string;
  readonly sessionId: string;
  readonly onError: (error: unknown) => void;
}

const MIME_TYPE = 'text/plain; charset=utf-8';

/** What is too large for the state: in the session's `files/`, referred to by URI, read in pieces. */
export class SessionContent {
  readonly #options: SessionContentOptions;
  /** Writes happen one after the other; what is read waits for those before it. */
  #writing: Promise<void> = Promise.resolve();
  /** Of these there is a beginning and no more: what follows a piece that is missing would be in the wrong place. */
  readonly #cutOff = new Set<string>();
  #failure: { readonly error: unknown } | undefined;
  #hasFolder = false;

  constructor(options: SessionContentOptions) {
    this.#options = options;
  }

  /** `undefined` where the session has no place for files: then what is in the state is all there is. */
  ref(contentId: string, sizeHint?: number): ContentRef | undefined {
    const { fs, provider, sessionId } = this.#options;
    if (fs.sessionStatePath === undefined) return undefined;
    const uri = contentUri(provider, sessionId, contentId);
    return { uri, mimeType: MIME_TYPE, ...(sizeHint !== undefined && { sizeHint }) };
  }

  /** Goes to disk while more of it is still being made. */
  append(contentId: string, text: string): void {
    this.#writing = this.#writing
      .then(async () => {
        if (this.#cutOff.has(contentId)) return;
        await this.#makeFolder();
        await this.#options.fs.appendFile(this.#path(contentId), text);
      })
      .catch((error: unknown) => {
        this.#cutOff.add(contentId);
        this.#failure = { error };
        this.#options.onError(error);
      });
  }

  async read(
    contentId: string,
    range: ContentRange = { offset: 0, length: MAX_CONTENT_RANGE },
  ): Promise<FetchContentResult> {
    await this.#writing;
    const { fs } = this.#options;
    const path = this.#path(contentId);
    try {
      const { size, isFile } = await fs.stat(path);
      if (!isFile) throw new SessionFsFailure('ENOENT', `${path} is no file`);
      const length = Math.max(Math.min(range.length, size - range.offset), 0);
      const bytes = length === 0 ? new Uint8Array() : await readRange(fs, path, range.offset, length);
      return { ...encoded(bytes), mimeType: MIME_TYPE, size };
    } catch (error) {
      if (!(error instanceof SessionFsFailure) || error.code !== 'ENOENT') throw error;
      throw new RpcError(ERROR_CODE.contentNotFound, `no content ${contentId} in this session`, { cause: error });
    }
  }

  settled(): Promise<void> {
    return this.#writing;
  }

  /** Rejects, once, when something of what was appended could not be stored. */
  async stored(): Promise<void> {
    await this.#writing;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure.error;
  }

  async #makeFolder(): Promise<void> {
    if (this.#hasFolder) return;
    const { fs } = this.#options;
    await fs.mkdir(fs.join(fs.sessionStatePath ?? fs.tmpdir, 'files'), { recursive: true });
    this.#hasFolder = true;
  }

  /** A content id has no separator and no leading dot (`contentUri`), so that this leads nowhere else. */
  #path(contentId: string): string {
    const { fs } = this.#options;
    return fs.join(fs.sessionStatePath ?? fs.tmpdir, 'files', contentId);
  }
}

async function readRange(fs: SessionFs, path: string, offset: number, length: number): Promise<Uint8Array> {
  if (fs.readRange) return fs.readRange(path, offset, length);
  return (await fs.readFileBytes(path)).subarray(offset, offset + length);
}

/** As text where the piece is whole text; a cut in the middle of a character makes it bytes. */
function encoded(bytes: Uint8Array): Pick<FetchContentResult, 'data' | 'encoding'> {
  try {
    return { data: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), encoding: 'utf-8' };
  } catch {
    return { data: Buffer.from(bytes).toString('base64'), encoding: 'base64' };
  }
}
