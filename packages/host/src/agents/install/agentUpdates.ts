import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownValue } from '@agenthost/protocol/internal';
import type { Disposable } from '@agenthost/rpc';
import * as z from 'zod';
import { writePrivateFile } from '../../storage/fs/writePrivateFile.js';
import type { AgentRegistry } from '../agentRegistry.js';
import { AGENTS_FOLDER, resolveAgentInstall } from './agentInstall.js';
import { newestVersion } from './agentInstaller.js';

export interface AgentUpdatesOptions {
  readonly registry: AgentRegistry;
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const DAY_MS = 24 * 60 * 60_000;
const FILE = 'newest-versions.json';
const OFF = 'AGENTHOST_NO_UPDATE_CHECK';
const stored = z.record(z.string(), z.object({ version: z.string().max(100), at: z.number() }));
type Stored = z.output<typeof stored>;

/**
 * Looks once a day whether npm has a newer version of an agent that is installed under the state root. Without a network it says
 * nothing. `AGENTHOST_NO_UPDATE_CHECK=1` turns it off.
 */
export class AgentUpdates {
  readonly #options: AgentUpdatesOptions;
  readonly #disposal = new AbortController();

  constructor(options: AgentUpdatesOptions) {
    this.#options = options;
  }

  /** The first look is in the background. */
  start(): Disposable {
    if (this.#options.env[OFF]) return { dispose: () => {} };
    const look = () => void this.#look().catch(() => {});
    const timer = setInterval(look, DAY_MS).unref();
    look();
    return {
      dispose: () => {
        clearInterval(timer);
        this.#disposal.abort();
      },
    };
  }

  async #look(): Promise<void> {
    const { registry, stateDir, env } = this.#options;
    const folder = join(stateDir, AGENTS_FOLDER);
    for (const { provider } of registry.infos()) {
      const npm = registry.get(provider)?.npmPackage;
      const installed = npm && (await resolveAgentInstall(folder, provider, npm.name));
      if (!installed) continue;
      const known = await this.#read();
      const last = ownValue(known, npm.name);
      const isFresh = last !== undefined && Math.abs(Date.now() - last.at) < DAY_MS;
      const version = isFresh ? last.version : await newestVersion(npm.name, env, this.#disposal.signal);
      if (this.#disposal.signal.aborted) return;
      if (version === undefined) continue;
      if (!isFresh) {
        const next: Stored = { ...known, [npm.name]: { version, at: Date.now() } };
        await writePrivateFile(join(folder, FILE), `${JSON.stringify(next)}\n`);
      }
      registry.setNewest(provider, version);
    }
  }

  async #read(): Promise<Stored> {
    try {
      return stored.parse(JSON.parse(await readFile(join(this.#options.stateDir, AGENTS_FOLDER, FILE), 'utf8')));
    } catch {
      return {};
    }
  }
}
