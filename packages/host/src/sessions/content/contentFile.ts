import { errorCode } from '../../storage/fs/errnoFailure.js';
import { replaceFile } from '../../storage/fs/replaceFile.js';
import { type SessionFs, SessionFsFailure } from '../../storage/fs/sessionFs.js';

/** If a backend can only read whole files, content is split into files of this size: a range then costs one or two of them. */
const SEGMENT_BYTES = 2 * 1024 * 1024;

/** One content: a file, or several if the backend can't read ranges. It only grows. */
export class ContentFile {
  readonly #fs: SessionFs;
  readonly #path: string;
  /** The number of full segments, which don't change any more. */
  #full = 0;
  /** The end of the content, once it is known. */
  #end: number | undefined;

  constructor(fs: SessionFs, path: string) {
    this.#fs = fs;
    this.#path = path;
  }

  async append(content: Uint8Array): Promise<void> {
    if (this.#fs.readRange) return this.#fs.appendFile(this.#path, content);
    let end = this.#end ?? (await this.#sizeIfAny());
    // Unknown until all of this succeeds.
    this.#end = undefined;
    // An empty content exists as well.
    if (content.length === 0) await this.#fs.appendFile(this.#segment(Math.floor(end / SEGMENT_BYTES)), content);
    for (let at = 0; at < content.length; ) {
      const room = SEGMENT_BYTES - (end % SEGMENT_BYTES);
      const piece = content.subarray(at, at + room);
      await this.#fs.appendFile(this.#segment(Math.floor(end / SEGMENT_BYTES)), piece);
      end += piece.length;
      at += piece.length;
    }
    this.#end = end;
  }

  /** Writes the whole content. The first file is written last, so that a reader never finds half of it. */
  async write(content: Uint8Array, options: { readonly sync: boolean }): Promise<void> {
    const segments = this.#fs.readRange ? 1 : Math.max(Math.ceil(content.length / SEGMENT_BYTES), 1);
    for (let index = segments - 1; index >= 0; index--) {
      const end = index === segments - 1 ? content.length : (index + 1) * SEGMENT_BYTES;
      const piece = content.subarray(index * SEGMENT_BYTES, end);
      await replaceFile(this.#fs, this.#segment(index), piece, options);
    }
  }

  /** Rejects with `ENOENT` if there is none. */
  async size(): Promise<number> {
    if (this.#fs.readRange) return this.#sizeOf(this.#path);
    for (;;) {
      const size = await this.#sizeOf(this.#segment(this.#full)).catch((error: unknown) => {
        if (this.#full > 0 && errorCode(error) === 'ENOENT') return 0;
        throw error;
      });
      if (size < SEGMENT_BYTES) return this.#full * SEGMENT_BYTES + size;
      this.#full++;
    }
  }

  /** Returns fewer bytes at the end of the content. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    if (this.#fs.readRange) return this.#fs.readRange(this.#path, offset, length);
    const end = Math.min(offset + length, await this.size());
    const pieces: Uint8Array[] = [];
    for (let at = offset; at < end; ) {
      const segment = Math.floor(at / SEGMENT_BYTES);
      const start = segment * SEGMENT_BYTES;
      const bytes = await this.#fs.readFileBytes(this.#segment(segment));
      const piece = bytes.subarray(at - start, end - start);
      if (piece.length === 0) break;
      pieces.push(piece);
      at += piece.length;
    }
    return Buffer.concat(pieces);
  }

  async #sizeIfAny(): Promise<number> {
    return this.size().catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return 0;
      throw error;
    });
  }

  async #sizeOf(path: string): Promise<number> {
    const { size, isFile } = await this.#fs.stat(path);
    if (!isFile) throw new SessionFsFailure('ENOENT', `${path} is no file`);
    return size;
  }

  #segment(index: number): string {
    return index === 0 ? this.#path : `${this.#path}.${index}`;
  }
}
