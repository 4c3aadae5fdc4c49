import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { describeIssues } from '../describeIssues.js';
import type { HostLog } from '../hostLog.js';
import { writePrivateFile } from '../storage/fs/writePrivateFile.js';
import { QueueFile } from './queueFile.js';
import { storedWebhook } from './storedWebhook.js';
import type { StoredWebhook, WebhookQueue, WebhookStore } from './webhookStore.js';

export const WEBHOOK_FOLDER = 'webhooks';
const fileSchema = z.object({ webhooks: z.array(storedWebhook) });

/** In the state folder, readable only by the host's user. Only the host that holds the folder writes it. */
export class WebhookFile implements WebhookStore {
  readonly isShared = false;
  readonly #folder: string;
  readonly #log: HostLog;
  #known: readonly StoredWebhook[] | undefined;
  #working: Promise<unknown> = Promise.resolve();

  constructor(stateRoot: string, log: HostLog) {
    this.#folder = join(stateRoot, WEBHOOK_FOLDER);
    this.#log = log;
  }

  list(): Promise<readonly StoredWebhook[]> {
    return this.#inTurn(() => this.#read());
  }

  change(change: (webhooks: readonly StoredWebhook[]) => readonly StoredWebhook[]): Promise<readonly StoredWebhook[]> {
    return this.#inTurn(async () => {
      const before = await this.#read();
      const after = change(before);
      if (after === before) return before;
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await writePrivateFile(this.#listPath(), `${JSON.stringify({ webhooks: after }, undefined, 2)}\n`);
      this.#known = after;
      const gone = before.filter(({ id }) => !after.some((one) => one.id === id));
      for (const { id } of gone) await rm(this.#queuePath(id), { force: true });
      return after;
    });
  }

  async queueOf(webhook: StoredWebhook): Promise<WebhookQueue> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    return new QueueFile(this.#queuePath(webhook.id), webhook.since, this.#log);
  }

  async startNow({ id }: StoredWebhook): Promise<void> {
    await rm(this.#queuePath(id), { force: true });
  }

  #listPath(): string {
    return join(this.#folder, 'webhooks.json');
  }

  #queuePath(id: string): string {
    return join(this.#folder, `${id}.jsonl`);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#working.then(work);
    this.#working = done.catch(() => {});
    return done;
  }

  async #read(): Promise<readonly StoredWebhook[]> {
    this.#known ??= await this.#load();
    return this.#known;
  }

  async #load(): Promise<readonly StoredWebhook[]> {
    const path = this.#listPath();
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{"webhooks":[]}';
      throw error;
    });
    const parsed = fileSchema.safeParse(parseJson(text));
    if (parsed.success) return parsed.data.webhooks;
    const what = describeIssues(parsed.error.issues, 'the file');
    throw new Error(`${path} makes no sense: ${what}. Remove it, and add the webhooks again.`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
