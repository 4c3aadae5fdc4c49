import { createHash, randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ROLES, type Role } from '@agenthost/protocol';
import * as z from 'zod';
import { describeIssues } from '../../describeIssues.js';
import { newToken } from './tokenFile.js';

export const DEVICE_TOKENS_FILE = 'tokens.json';
/** Caps device tokens: enough for several people's devices, not for daily rotation. */
const MAX_TOKENS = 200;
/** Letters and digits of any script, with separators; never a slash, which separates a name from a client's id. */
const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._'()@+-]{0,62}[\p{L}\p{M}\p{N}.)])?$/u;
/** An older draft file was left behind by a killed command. */
const STALE_MS = 10_000;

/** A token as it is stored: without the token itself, so that reading the file doesn't give access. */
const deviceToken = z.object({
  id: z.string().min(1).max(64),
  name: z.string().regex(NAME, 'not a name'),
  role: z.enum(ROLES),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'not a hash'),
  createdAt: z.number(),
});
const fileSchema = z.object({ tokens: z.array(deviceToken).max(MAX_TOKENS) });

export type DeviceToken = Readonly<z.infer<typeof deviceToken>>;

type DeviceTokenErrorCode = 'damagedFile' | 'invalidName' | 'nameTaken' | 'tooManyTokens' | 'busy' | 'notFound';

/** An error about tokens (a name that is taken or unknown, an unreadable file): what happened, and what to do. */
export class DeviceTokenError extends Error {
  readonly code: DeviceTokenErrorCode;
  readonly whatToDo: string;

  constructor(code: DeviceTokenErrorCode, what: string, whatToDo: string, options?: ErrorOptions) {
    super(what, options);
    this.name = 'DeviceTokenError';
    this.code = code;
    this.whatToDo = whatToDo;
  }
}

type ChangeTokens = (tokens: readonly DeviceToken[]) => readonly DeviceToken[];

/** Where device tokens are kept. */
export interface DeviceTokenStore {
  /** Where that is, for messages. */
  readonly path: string;
  list(): Promise<readonly DeviceToken[]>;
  /** Replaces them by what `change` makes of them. Of two changes at once, one comes after the other or fails. */
  change(change: ChangeTokens): Promise<void>;
}

/** What became of the tokens of another store. */
export interface AdoptedTokens {
  readonly added: number;
  /** Names that are taken by another token, or for which there is no room. */
  readonly refused: readonly string[];
}

/** The tokens that the owner gave to devices. `agenthost token` changes them, the host reads them. */
export class DeviceTokens {
  readonly #store: DeviceTokenStore;

  /** In a state root, or elsewhere. */
  constructor(where: string | DeviceTokenStore) {
    this.#store = typeof where === 'string' ? new DeviceTokenFile(where) : where;
  }

  get path(): string {
    return this.#store.path;
  }

  list(): Promise<readonly DeviceToken[]> {
    return this.#store.list();
  }

  /** Returns the token, which can't be shown a second time. */
  async add(name: string, role: Role): Promise<string> {
    if (!NAME.test(name) || name.toLowerCase() === 'owner') {
      throw new DeviceTokenError(
        'invalidName',
        `${JSON.stringify(name)} can't be the name of a device.`,
        "Give up to 64 letters, digits, spaces and . _ - ' ( ) @ +, and not owner.",
      );
    }
    const { made, token } = makeToken(name, role);
    await this.#store.change((tokens) => {
      if (tokens.some((other) => sameName(other.name, name))) {
        throw new DeviceTokenError(
          'nameTaken',
          `There is a token for ${name} already.`,
          `Take another name, or remove it with agenthost token rm ${JSON.stringify(name)}.`,
        );
      }
      if (tokens.length >= MAX_TOKENS) {
        throw new DeviceTokenError(
          'tooManyTokens',
          `There are ${MAX_TOKENS} tokens already.`,
          'Remove one with agenthost token rm.',
        );
      }
      return [...tokens, made];
    });
    return token;
  }

  /** Revokes a token. A running host disconnects its clients as soon as it notices. Returns what was removed. */
  async remove(name: string): Promise<DeviceToken | undefined> {
    let removed: DeviceToken | undefined;
    await this.#store.change((tokens) => {
      removed = find(tokens, name);
      return tokens.filter((token) => token !== removed);
    });
    return removed;
  }

  /** Adds tokens that another store has, so that devices keep theirs. None that is there is replaced. */
  async adopt(tokens: readonly DeviceToken[]): Promise<AdoptedTokens> {
    let adopted: AdoptedTokens = { added: 0, refused: [] };
    if (tokens.length === 0) return adopted;
    await this.#store.change((known) => {
      const missing = tokens.filter(({ id }) => !known.some((other) => other.id === id));
      const fits = (token: DeviceToken) => !known.some((other) => sameName(other.name, token.name));
      const added = missing.filter(fits).slice(0, Math.max(MAX_TOKENS - known.length, 0));
      const refused = missing.filter((token) => !added.includes(token)).map(({ name }) => name);
      adopted = { added: added.length, refused };
      return [...known, ...added];
    });
    return adopted;
  }

  /** Replaces a device's token; the old one becomes invalid. */
  async rotate(name: string): Promise<string> {
    let rotated = '';
    await this.#store.change((tokens) => {
      const old = find(tokens, name);
      const { made, token } = makeToken(old.name, old.role);
      rotated = token;
      return tokens.map((other) => (other === old ? made : other));
    });
    return rotated;
  }
}

class DeviceTokenFile implements DeviceTokenStore {
  readonly path: string;

  constructor(stateRoot: string) {
    this.path = join(stateRoot, DEVICE_TOKENS_FILE);
  }

  async list(): Promise<readonly DeviceToken[]> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{"tokens":[]}';
      throw error;
    });
    const parsed = fileSchema.safeParse(parseJson(text));
    if (parsed.success) return parsed.data.tokens;
    throw new DeviceTokenError(
      'damagedFile',
      `${this.path} makes no sense: ${describeIssues(parsed.error.issues, 'the file')}.`,
      'Remove it, then give the devices new tokens with agenthost token add.',
    );
  }

  /** The draft file is a lock as well: of two commands at once, one fails and says so. */
  async change(change: ChangeTokens): Promise<void> {
    const draft = `${this.path}.new`;
    const file = await open(draft, 'wx', 0o600).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      const left = await stat(draft).catch(() => undefined);
      // A draft from the future was left before the clock was set back.
      if (left && Math.abs(Date.now() - left.mtimeMs) < STALE_MS) {
        throw new DeviceTokenError('busy', 'Another command changes the tokens right now.', 'Run it again.', {
          cause: error,
        });
      }
      await rm(draft, { force: true });
      return open(draft, 'wx', 0o600);
    });
    try {
      const tokens = change(await this.list());
      await file.writeFile(`${JSON.stringify({ tokens }, undefined, 2)}\n`);
      await file.sync();
      await file.close();
      await rename(draft, this.path);
    } catch (error) {
      await file.close().catch(() => {});
      await rm(draft, { force: true });
      throw error;
    }
  }
}

function makeToken(name: string, role: Role): { readonly made: DeviceToken; readonly token: string } {
  const token = newToken();
  const sha256 = createHash('sha256').update(token).digest('hex');
  return { made: { id: randomUUID(), name, role, sha256, createdAt: Date.now() }, token };
}

function find(tokens: readonly DeviceToken[], name: string): DeviceToken {
  const found = tokens.find((token) => sameName(token.name, name));
  if (found) return found;
  throw new DeviceTokenError(
    'notFound',
    `There is no token for ${name}.`,
    'See which there are with agenthost token ls.',
  );
}

function sameName(a: string, b: string): boolean {
  return a.normalize('NFC').toLowerCase() === b.normalize('NFC').toLowerCase();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
