import { randomUUID } from 'node:crypto';
import { errorCode } from '../fs/errnoFailure.js';
import { replaceFile } from '../fs/replaceFile.js';
import { type SessionFs, SessionFsFailure } from '../fs/sessionFs.js';

export interface TempFilesOptions {
  readonly fs: SessionFs;
  /** Leaves all files in place, for debugging. */
  readonly keep?: boolean;
  readonly onError?: (error: unknown) => void;
}

/** In the temporary folder itself: the names of files to remove, one per line, also for the next host. */
export const TEMP_REGISTER = 'registered.txt';
const MAX_FILES = 256;
/** How many removed names may stay in the register before it is rewritten. */
const MAX_STALE = 256;
const NAME = /^[0-9a-f-]{36}(?:\.[a-z0-9]{1,16})?$/;

/** The names in a register. A name in another format can't be ours. */
export function registeredNames(register: string): string[] {
  return register.split('\n').filter((name) => NAME.test(name));
}

/**
 * Temporary files and folders of one session, through its file system. They are removed at the end of the session, or by the next
 * host when this one was killed; nothing else ever is.
 *
 * @example
 * ```ts
 * async function attach({ tempFiles }: OpenSessionOptions, image: Uint8Array): Promise<string | undefined> {
 *   return tempFiles?.create(image, '.png');
 * }
 * ```
 */
export class TempFiles {
  readonly #fs: SessionFs;
  readonly #keep: boolean;
  readonly #onError: (error: unknown) => void;
  readonly #names = new Set<string>();
  #registering: Promise<void>;
  #stale = 0;
  #isUsed = false;
  #isDisposed = false;

  constructor({ fs, keep = false, onError = () => {} }: TempFilesOptions) {
    this.#fs = fs;
    this.#keep = keep;
    this.#onError = onError;
    this.#registering = Promise.resolve();
  }

  /** Whether programs on this machine can read these files. */
  get isLocal(): boolean {
    return this.#fs.isLocal === true;
  }

  /** Makes a file that only this user can read. `extension` is for programs that look at it, e.g. `png`. */
  async create(content: string | Uint8Array, extension?: string): Promise<string> {
    const path = await this.#register(extension);
    try {
      await this.#fs.writeFile(path, content);
    } catch (error) {
      await this.remove(path).catch(() => {});
      throw error;
    }
    return path;
  }

  /** Makes a folder that only this user can look into; its content is removed with it. */
  async createFolder(): Promise<string> {
    const path = await this.#register();
    await this.#fs.mkdir(path);
    return path;
  }

  /** Removes it before the end of the session, when it is no longer needed. */
  async remove(path: string): Promise<void> {
    const name = [...this.#names].find((known) => this.#fs.join(this.#fs.tmpdir, known) === path);
    if (name === undefined) throw new SessionFsFailure('EINVAL', `${path} was not made as a temporary file`);
    if (this.#keep) return;
    await this.#fs.rm(path, { recursive: true, force: true });
    this.#names.delete(name);
    this.#stale++;
  }

  /** Removes what an earlier host made for this session in the same folder and left. */
  async removeLeftovers(): Promise<void> {
    if (this.#keep) return;
    await this.#removeAll(await this.#registered());
  }

  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    if (!this.#isUsed || this.#keep) return;
    await this.#registering;
    await this.#removeAll([...this.#names]);
  }

  /** Registered before it is made, so that it is known whenever the host dies. */
  async #register(extension?: string): Promise<string> {
    if (this.#isDisposed) throw new SessionFsFailure('EBADF', 'the session has ended');
    if (this.#names.size >= MAX_FILES) {
      throw new SessionFsFailure('EMFILE', `${MAX_FILES} temporary files are in use: remove some of them first`);
    }
    const name = extension === undefined ? randomUUID() : `${randomUUID()}.${extension}`;
    if (!NAME.test(name)) throw new SessionFsFailure('EINVAL', `not a file name's extension: ${extension}`);
    this.#names.add(name);
    this.#isUsed = true;
    const registering = this.#registering.then(() => this.#note(name));
    this.#registering = registering.catch(() => {});
    await registering.catch((error: unknown) => {
      this.#names.delete(name);
      throw error;
    });
    return this.#fs.join(this.#fs.tmpdir, name);
  }

  async #note(name: string): Promise<void> {
    const register = this.#registerFile();
    await this.#fs.mkdir(this.#fs.tmpdir, { recursive: true });
    if (this.#stale < MAX_STALE) return this.#fs.appendFile(register, `${name}\n`);
    this.#stale = 0;
    await replaceFile(this.#fs, register, [...this.#names].map((known) => `${known}\n`).join(''));
  }

  async #registered(): Promise<string[]> {
    try {
      const register = await this.#fs.readFile(this.#registerFile());
      this.#isUsed = true;
      return registeredNames(register);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  async #removeAll(names: readonly string[]): Promise<void> {
    let isAllGone = true;
    for (const name of names) {
      try {
        await this.#fs.rm(this.#fs.join(this.#fs.tmpdir, name), { recursive: true, force: true });
        this.#names.delete(name);
      } catch (error) {
        isAllGone = false;
        this.#onError(error);
      }
    }
    // What could not be removed stays registered: the next host tries again.
    if (isAllGone && this.#isUsed) await this.#fs.rm(this.#registerFile(), { force: true }).catch(this.#onError);
  }

  #registerFile(): string {
    return this.#fs.join(this.#fs.tmpdir, TEMP_REGISTER);
  }
}
