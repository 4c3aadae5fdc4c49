import {
  type ContentRange,
  type ContentRef,
  contentUri,
  ERROR_CODE,
  type FetchContentResult,
  MAX_CONTENT_RANGE,
} from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { locateWithin } from '../sessionFs/artifactFolder.js';
import { type SessionFs, SessionFsFailure } from '../sessionFs/sessionFs.js';
import { readPiece } from './contentPiece.js';

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
        await this.#makeFolder();
        await this.#options.fs.appendFile(this.#path(contentId), text);
      })
      .catch(this.#options.onError);
  }

  async read(
    contentId: string,
    range: ContentRange = { offset: 0, length: MAX_CONTENT_RANGE },
  ): Promise<FetchContentResult> {
    await this.#writing;
    const { fs } = this.#options;
    try {
      const path = await locateWithin(fs, this.#folder(), this.#path(contentId));
      return { ...(await readPiece(fs, path, range)), mimeType: MIME_TYPE };
    } catch (error) {
      if (!(error instanceof SessionFsFailure) || error.code !== 'ENOENT') throw error;
      throw new RpcError(ERROR_CODE.contentNotFound, `no content ${contentId} in this session`, { cause: error });
    }
  }

  settled(): Promise<void> {
    return this.#writing;
  }

  async #makeFolder(): Promise<void> {
    if (this.#hasFolder) return;
    const { fs } = this.#options;
    await fs.mkdir(this.#folder(), { recursive: true });
    this.#hasFolder = true;
  }

  /** A content id has no separator and no leading dot (`contentUri`), so that this leads nowhere else. */
  #path(contentId: string): string {
    return this.#options.fs.join(this.#folder(), contentId);
  }

  #folder(): string {
    const { fs } = this.#options;
    return fs.join(fs.sessionStatePath ?? fs.tmpdir, 'files');
  }
}
