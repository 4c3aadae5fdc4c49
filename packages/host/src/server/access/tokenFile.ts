import { randomBytes } from 'node:crypto';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivateFile } from '../../storage/fs/writePrivateFile.js';

/** 128 bits are 22 characters of base64; ours have 256 bits. */
const MIN_TOKEN_LENGTH = 22;
const TOKEN = /^[A-Za-z0-9._~-]+$/;
export const TOKEN_FILE = 'token';

/** The given token is too short to be safe. */
export class WeakTokenError extends Error {
  readonly what: string;
  readonly whatToDo = 'Remove it to have one made, or make one with: openssl rand -hex 32';

  constructor(where: string) {
    super();
    this.name = 'WeakTokenError';
    this.what = `The token in ${where} is too weak: it needs at least ${MIN_TOKEN_LENGTH} characters out of A–Z, a–z, 0–9 and -._~.`;
    this.message = `${this.what} ${this.whatToDo}`;
  }
}

/** Never starts with a dash, which command lines take for a flag. */
export function newToken(): string {
  const token = randomBytes(32).toString('base64url');
  return token.startsWith('-') ? newToken() : token;
}

export function checkToken(token: string, where: string): string {
  if (token.length < MIN_TOKEN_LENGTH || !TOKEN.test(token)) throw new WeakTokenError(where);
  return token;
}

/** The host's token in its state root: made at the first start, readable only by its user. */
export class TokenFile {
  readonly #folder: string;

  constructor(stateRoot: string) {
    this.#folder = stateRoot;
  }

  get path(): string {
    return join(this.#folder, TOKEN_FILE);
  }

  async readOrCreate(): Promise<string> {
    const found = await this.read();
    if (found === undefined) return this.rotate();
    await chmod(this.path, 0o600);
    return checkToken(found, this.path);
  }

  /** Makes a new token; the old one becomes invalid. */
  async rotate(): Promise<string> {
    const token = newToken();
    await this.write(token);
    return token;
  }

  /** Only where it is another one. */
  async write(token: string): Promise<void> {
    if ((await this.read()) !== token) await writePrivateFile(this.path, `${token}\n`);
  }

  /** Reads the token without making one. */
  async read(): Promise<string | undefined> {
    try {
      return (await readFile(this.path, 'utf8')).trim();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }
}
