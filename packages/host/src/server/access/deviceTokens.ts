import { createHash, randomUUID } from 'node:crypto';
import type { Role, SharedSession } from '@agenthost/protocol';
import { DEFAULT_SPACE, isSpaceName } from '@agenthost/protocol/internal';
import {
  type DeviceToken,
  DeviceTokenError,
  type DeviceTokenStore,
  hasEnded,
  isDeviceName,
  MAX_LINKS,
  MAX_NAME,
  MAX_TOKENS,
} from './deviceToken.js';
import { DeviceTokenFiles } from './deviceTokenFiles.js';
import { newToken } from './tokenFile.js';

/** A device that is about to get a token. */
export interface NewDevice {
  readonly name: string;
  readonly role: Role;
  /** Who uses it. */
  readonly user?: string;
  /** `default` if none is named. */
  readonly space?: string;
  /** Of a read-only link. */
  readonly shared?: SharedSession;
  /** Of a program that reads metrics. */
  readonly only?: 'metrics';
}

/** A device, as somebody of that space names it. */
export interface OneDevice {
  readonly id: string;
  readonly space: string;
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
    this.#store = typeof where === 'string' ? new DeviceTokenFiles(where) : where;
  }

  get path(): string {
    return this.#store.path;
  }

  /** Without links that have ended. */
  async list(): Promise<readonly DeviceToken[]> {
    return (await this.#store.list()).filter((token) => !hasEnded(token));
  }

  /** Returns the token, which can't be shown a second time. */
  async add(name: string, role: Role, space: string = DEFAULT_SPACE): Promise<string> {
    checkName(name);
    if (!isSpaceName(space)) {
      throw new DeviceTokenError(
        'invalidSpace',
        `${JSON.stringify(space)} can't be the name of a space.`,
        'Give up to 32 lower-case letters, digits and dashes, with a letter or digit at both ends.',
      );
    }
    return this.#addNamed({ name, role, space });
  }

  /** The token of a program that reads metrics, and nothing else. It counts for the host, so it is in no other space. */
  async addForMetrics(name: string): Promise<string> {
    checkName(name);
    return this.#addNamed({ name, role: 'viewer', only: 'metrics' });
  }

  /** The same for a device that names itself: it gets another name where its own is taken. */
  async addNumbered(device: NewDevice): Promise<{ readonly made: DeviceToken; readonly token: string }> {
    checkNames(device);
    const { made, token } = makeToken(device);
    let numbered = made;
    await this.#change((tokens) => {
      numbered = { ...made, name: freeName(tokens, made.name) };
      return withToken(tokens, numbered);
    });
    return { made: numbered, token };
  }

  /** Changes a device's role or name; its token stays. Some device stays an owner. */
  async update({ id, space }: OneDevice, changes: { readonly role?: Role; readonly name?: string }): Promise<void> {
    const { name } = changes;
    if (name !== undefined) checkName(name);
    await this.#change((tokens) => {
      const old = findById(tokens, id, space);
      if (changes.role !== undefined && changes.role !== 'owner') checkNotLastOwner(tokens, old);
      if (changes.role !== undefined && old.shared) throw readOnlyLink(old);
      if (changes.role !== undefined && old.only) throw onlyMetrics(old);
      const others = tokens.filter((token) => token !== old);
      if (name !== undefined) checkFree(others, name);
      return tokens.map((token) => (token === old ? { ...old, ...changes } : token));
    });
  }

  /** Revokes the token of a device, but not that of the last owner. */
  async removeById({ id, space }: OneDevice): Promise<void> {
    await this.#change((tokens) => {
      const old = findById(tokens, id, space);
      checkNotLastOwner(tokens, old);
      return tokens.filter((token) => token !== old);
    });
  }

  /** Revokes a token. A running host disconnects its clients as soon as it notices. Returns what was removed. */
  async remove(name: string): Promise<DeviceToken | undefined> {
    let removed: DeviceToken | undefined;
    await this.#change((tokens) => {
      removed = find(tokens, name);
      return tokens.filter((token) => token !== removed);
    });
    return removed;
  }

  /** Revokes all links to a session. */
  async removeLinks(session: string): Promise<void> {
    await this.#change((tokens) => tokens.filter(({ shared }) => shared?.session !== session));
  }

  /** Adds tokens that another store has, so that devices keep theirs. None that is there is replaced. */
  async adopt(tokens: readonly DeviceToken[]): Promise<AdoptedTokens> {
    let adopted: AdoptedTokens = { added: 0, refused: [] };
    if (tokens.length === 0) return adopted;
    await this.#change((known) => {
      const missing = tokens.filter(({ id }) => !known.some((other) => other.id === id));
      const fits = (token: DeviceToken) => !known.some((other) => sameName(other.name, token.name));
      const added = [true, false].flatMap((isLink) => {
        const ofKind = (token: DeviceToken) => (token.shared !== undefined) === isLink;
        const room = (isLink ? MAX_LINKS : MAX_TOKENS) - known.filter(ofKind).length;
        return missing.filter((token) => ofKind(token) && fits(token)).slice(0, Math.max(room, 0));
      });
      const refused = missing.filter((token) => !added.includes(token)).map(({ name }) => name);
      adopted = { added: added.length, refused };
      return [...known, ...added];
    });
    return adopted;
  }

  /** Replaces a device's token; the old one becomes invalid. */
  async rotate(name: string): Promise<string> {
    let rotated = '';
    await this.#change((tokens) => {
      const old = find(tokens, name);
      const { made, token } = makeToken(old);
      rotated = token;
      return tokens.map((other) => (other === old ? made : other));
    });
    return rotated;
  }

  async #addNamed(device: NewDevice): Promise<string> {
    const { made, token } = makeToken(device);
    await this.#change((tokens) => {
      checkFree(tokens, device.name);
      return withToken(tokens, made);
    });
    return token;
  }

  /** Links that have ended go with the next change. */
  #change(change: Parameters<DeviceTokenStore['change']>[0]): Promise<void> {
    return this.#store.change((tokens) => change(tokens.filter((token) => !hasEnded(token))));
  }
}

function makeToken({ name, role, user, space = DEFAULT_SPACE, shared, only }: NewDevice): {
  readonly made: DeviceToken;
  readonly token: string;
} {
  const token = newToken();
  const sha256 = createHash('sha256').update(token).digest('hex');
  const said = {
    ...(user !== undefined && { user }),
    ...(space !== DEFAULT_SPACE && { space }),
    ...(shared && { shared }),
    ...(only && { only }),
  };
  return { made: { id: randomUUID(), name, role, sha256, createdAt: Date.now(), ...said }, token };
}

/** A name as a person types it, on a phone say, which makes curly apostrophes. */
export function plainName(typed: string): string {
  return typed.normalize('NFC').replace(/[‘’ʼ]/g, "'").replace(/\s+/g, ' ').trim();
}

/** "Link to Fix the login", of a title with any characters. */
export function linkName(title = ''): string {
  const plain = plainName(title.replace(/[^\p{L}\p{M}\p{N} ._'()@+-]/gu, ' '));
  const shown = plainName(`Link to ${plain}`.slice(0, MAX_NAME)).replace(/[^\p{L}\p{M}\p{N}.)]+$/u, '');
  return plain !== '' && isDeviceName(shown) ? shown : 'Link to a session';
}

/** Throws when a device or its user can't be called that. */
export function checkNames({ name, user }: Pick<NewDevice, 'name' | 'user'>): void {
  checkName(name);
  if (user !== undefined) checkName(user);
}

function checkName(name: string): void {
  if (isDeviceName(name)) return;
  throw new DeviceTokenError(
    'invalidName',
    `${JSON.stringify(name)} can't be a name here.`,
    "Give up to 64 letters, digits, spaces and . _ - ' ( ) @ +, and not owner.",
  );
}

function checkFree(tokens: readonly DeviceToken[], name: string): void {
  if (!tokens.some((other) => sameName(other.name, name))) return;
  throw new DeviceTokenError(
    'nameTaken',
    `There is a token for ${name} already.`,
    `Take another name, or remove it with agenthost token rm ${JSON.stringify(name)}.`,
  );
}

/** "Firefox on Linux", "Firefox on Linux 2" and so on. */
function freeName(tokens: readonly DeviceToken[], name: string): string {
  const taken = (wanted: string) => tokens.some((other) => sameName(other.name, wanted));
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : ` ${number}`;
    const wanted = `${[...name]
      .slice(0, MAX_NAME - suffix.length)
      .join('')
      .trimEnd()}${suffix}`;
    if (!taken(wanted)) return wanted;
  }
}

function withToken(tokens: readonly DeviceToken[], made: DeviceToken): readonly DeviceToken[] {
  const isSameKind = ({ shared }: DeviceToken) => (shared === undefined) === (made.shared === undefined);
  const [max, what] = made.shared ? [MAX_LINKS, 'links'] : [MAX_TOKENS, 'tokens'];
  if (tokens.filter(isSameKind).length < max) return [...tokens, made];
  throw new DeviceTokenError(
    'tooManyTokens',
    `There are ${max} ${what} already.`,
    `Revoke ${made.shared ? 'one' : 'a device'} that is no longer used: in Settings, Devices, or with agenthost token rm.`,
  );
}

function readOnlyLink({ name }: DeviceToken): DeviceTokenError {
  return new DeviceTokenError(
    'readOnlyLink',
    `${name} is a read-only link: it has no other role.`,
    'Pair the device instead: agenthost pair.',
  );
}

function onlyMetrics({ name }: DeviceToken): DeviceTokenError {
  return new DeviceTokenError(
    'onlyMetrics',
    `${name} reads metrics: it has no other role.`,
    'Give what needs more a token of its own: agenthost token add.',
  );
}

function checkNotLastOwner(tokens: readonly DeviceToken[], device: DeviceToken): void {
  const isOwner = ({ role, space }: DeviceToken) => role === 'owner' && space === device.space;
  if (!isOwner(device) || tokens.some((other) => other !== device && isOwner(other))) return;
  throw new DeviceTokenError(
    'lastOwner',
    `${device.name} is the last device with the role owner.`,
    `Make another one an owner first, or run agenthost token rm ${JSON.stringify(device.name)} on the host's machine.`,
  );
}

function findById(tokens: readonly DeviceToken[], id: string, space: string): DeviceToken {
  const found = tokens.find((token) => token.id === id && (token.space ?? DEFAULT_SPACE) === space);
  if (found) return found;
  throw new DeviceTokenError('notFound', 'There is no such device.', 'It was revoked. Look at the list again.');
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
