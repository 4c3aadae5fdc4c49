import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { describeIssues } from '../describeIssues.js';
import { writePrivateFile } from '../storage/fs/writePrivateFile.js';

const FILE = 'push.json';

const vapidKeys = z.object({ publicKey: z.string(), privateKey: z.string() });
const pushDevice = z.object({
  id: z.string(),
  tokenId: z.string(),
  tokenMark: z.string(),
  endpoint: z.string(),
  p256dh: z.string(),
  auth: z.string(),
  notify: z.enum(['needsInput', 'needsInputAndFinished']),
  createdAt: z.number(),
});
const fileSchema = z.object({ keys: vapidKeys.optional(), devices: z.array(pushDevice) });

/** The host's key pair for push services (RFC 8292), as base64url. */
export type VapidKeys = Readonly<z.infer<typeof vapidKeys>>;

/** A push subscription, which one browser on one device has made. */
export type PushDevice = Readonly<z.infer<typeof pushDevice>>;

/** Where the host's keys and the subscriptions of devices are kept. */
export interface PushStore {
  /** Other hosts change it too. */
  readonly isShared: boolean;
  /** The keys; of several hosts that make some at once, the first one's. */
  keys(make: () => Promise<VapidKeys>): Promise<VapidKeys>;
  list(): Promise<readonly PushDevice[]>;
  /** Replaces the subscriptions by what `change` makes of them; one change comes after the other. */
  change(change: (devices: readonly PushDevice[]) => readonly PushDevice[]): Promise<void>;
}

type Content = z.infer<typeof fileSchema>;

/** In the state root, readable only by its user. Only the host that holds the state root writes it. */
export class PushFile implements PushStore {
  readonly isShared = false;
  readonly #path: string;
  #working: Promise<unknown> = Promise.resolve();

  constructor(stateRoot: string) {
    this.#path = join(stateRoot, FILE);
  }

  keys(make: () => Promise<VapidKeys>): Promise<VapidKeys> {
    return this.#inTurn(async () => {
      const content = await this.#read();
      if (content.keys) return content.keys;
      const keys = await make();
      await this.#write({ ...content, keys });
      return keys;
    });
  }

  list(): Promise<readonly PushDevice[]> {
    return this.#inTurn(async () => (await this.#read()).devices);
  }

  change(change: (devices: readonly PushDevice[]) => readonly PushDevice[]): Promise<void> {
    return this.#inTurn(async () => {
      const content = await this.#read();
      const devices = change(content.devices);
      if (devices !== content.devices) await this.#write({ ...content, devices: [...devices] });
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#working.then(work);
    this.#working = done.catch(() => {});
    return done;
  }

  async #read(): Promise<Content> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{"devices":[]}';
      throw error;
    });
    const parsed = fileSchema.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    const what = describeIssues(parsed.error.issues, 'the file');
    throw new Error(`${this.#path} makes no sense: ${what}. Remove it; devices then subscribe again.`);
  }

  #write(content: Content): Promise<void> {
    return writePrivateFile(this.#path, `${JSON.stringify(content, undefined, 2)}\n`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
