import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ModelInfo } from '@agenthost/protocol';
import * as z from 'zod';
import { writePrivateFile } from '../../storage/fs/writePrivateFile.js';

const MAX_MODELS = 500;
const stored = z.array(z.object({ id: z.string().min(1).max(256), name: z.string().max(1_000) })).max(MAX_MODELS);

/** Remembers the models that an agent's sessions offered last: an agent can't be asked for them without a session. */
export class ModelMemory {
  readonly #file: string;
  #models: readonly { readonly id: string; readonly name: string }[] | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  async list(provider: string): Promise<ModelInfo[]> {
    this.#models ??= await this.#read();
    return this.#models.map((model) => ({ ...model, provider }));
  }

  /** Returns whether they changed. */
  async remember(models: readonly ModelInfo[]): Promise<boolean> {
    const next = stored.safeParse(models.slice(0, MAX_MODELS).map(({ id, name }) => ({ id, name })));
    this.#models ??= await this.#read();
    const before = JSON.stringify(this.#models);
    if (!next.success || next.data.length === 0 || JSON.stringify(next.data) === before) return false;
    this.#models = next.data;
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    await writePrivateFile(this.#file, `${JSON.stringify(next.data)}\n`);
    return true;
  }

  async #read(): Promise<readonly { readonly id: string; readonly name: string }[]> {
    try {
      return stored.parse(JSON.parse(await readFile(this.#file, 'utf8')));
    } catch {
      return [];
    }
  }
}
