import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_SPACE } from '@agenthost/protocol/internal';
import { describeIssues } from '../../describeIssues.js';
import { writePrivateFile } from '../../storage/fs/writePrivateFile.js';
import { type DeviceToken, DeviceTokenError, type DeviceTokenStore, deviceTokensSchema } from './deviceToken.js';

export const DEVICE_TOKENS_FILE = 'tokens.json';
/** Those outside of the space `default`: a host that knows no spaces must not let them in. */
export const SPACE_TOKENS_FILE = 'space-tokens.json';
/** Read-only links, for the same reason: a host that knows none would show their holders everything. */
export const LINK_TOKENS_FILE = 'link-tokens.json';
/** Those of programs that read metrics, for the same reason. */
export const METRICS_TOKENS_FILE = 'metrics-tokens.json';
/** An older draft file was left behind by a killed command. */
const STALE_MS = 10_000;

/** Device tokens in a state root. */
export class DeviceTokenFiles implements DeviceTokenStore {
  readonly path: string;
  readonly #ofSpaces: string;
  readonly #ofLinks: string;
  readonly #ofMetrics: string;

  constructor(stateRoot: string) {
    this.path = join(stateRoot, DEVICE_TOKENS_FILE);
    this.#ofSpaces = join(stateRoot, SPACE_TOKENS_FILE);
    this.#ofLinks = join(stateRoot, LINK_TOKENS_FILE);
    this.#ofMetrics = join(stateRoot, METRICS_TOKENS_FILE);
  }

  async list(): Promise<readonly DeviceToken[]> {
    return (await Promise.all([this.path, this.#ofSpaces, this.#ofLinks, this.#ofMetrics].map(readTokens))).flat();
  }

  /** The draft file is a lock as well: of two commands at once, one fails and says so. */
  async change(change: Parameters<DeviceTokenStore['change']>[0]): Promise<void> {
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
      const before = await this.list();
      const tokens = change(before);
      // First: a token that goes from one to the other must not be lost.
      const apart = [
        [this.#ofSpaces, isOfSpace],
        [this.#ofLinks, isLink],
        [this.#ofMetrics, isForMetrics],
      ] as const;
      for (const [path, isThere] of apart) {
        const there = tokens.filter(isThere);
        if (there.length + before.filter(isThere).length > 0) await writePrivateFile(path, textOf(there));
      }
      await file.writeFile(textOf(tokens.filter((token) => apart.every(([, isThere]) => !isThere(token)))));
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

function isOfSpace(token: DeviceToken): boolean {
  return (token.space ?? DEFAULT_SPACE) !== DEFAULT_SPACE && !isLink(token) && !isForMetrics(token);
}

function isLink({ shared }: DeviceToken): boolean {
  return shared !== undefined;
}

function isForMetrics({ only }: DeviceToken): boolean {
  return only !== undefined;
}

function textOf(tokens: readonly DeviceToken[]): string {
  return `${JSON.stringify({ tokens }, undefined, 2)}\n`;
}

async function readTokens(path: string): Promise<readonly DeviceToken[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{"tokens":[]}';
    throw error;
  });
  const parsed = deviceTokensSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data.tokens;
  throw new DeviceTokenError(
    'damagedFile',
    `${path} makes no sense: ${describeIssues(parsed.error.issues, 'the file')}.`,
    'Remove it, then give the devices new tokens with agenthost token add.',
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
