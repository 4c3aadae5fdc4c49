import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '@agenthost/protocol/internal';
import { type CopilotProvider, parseProvider } from './providerConfig.js';

/** The user's settings for Copilot, in `<state root>/agents/copilot.json`. */
export interface CopilotConfiguration {
  /** Model providers by name, for users without GitHub's models. A session chooses one with `config.provider`. */
  readonly providers?: Readonly<Record<string, CopilotProvider>>;
  /** The provider of sessions that don't choose one. */
  readonly defaultProvider?: string;
  /** Added to the environment of Copilot's processes, e.g. `COPILOT_OFFLINE` or a token. */
  readonly env?: Readonly<Record<string, string>>;
}

const FILE = 'copilot.json';

/** Reads the file each time, so that a change needs no restart. Rejects with what is wrong with the file. */
export async function loadConfiguration(agentsFolder: string): Promise<CopilotConfiguration> {
  const path = join(agentsFolder, FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Error(`${path} can't be read: ${errorMessage(error)}`, { cause: error });
  }
  try {
    return parseConfiguration(JSON.parse(text));
  } catch (error) {
    throw new Error(`${path} is not a configuration of Copilot: ${errorMessage(error)} Mend it, or delete it.`, {
      cause: error,
    });
  }
}

function parseConfiguration(value: unknown): CopilotConfiguration {
  const { providers = {}, defaultProvider, env = {} } = asRecord(value, 'it');
  const parsed = Object.entries(asRecord(providers, 'providers')).map(([name, provider]) => {
    const object = asRecord(provider, `providers.${name}`);
    return [name, parseProvider(object, {}, `providers.${name}`)] as const;
  });
  for (const [name, setting] of Object.entries(asRecord(env, 'env'))) {
    if (typeof setting !== 'string') throw new Error(`env.${name} must be a string.`);
  }
  const named = Object.fromEntries(parsed.flatMap(([name, provider]) => (provider ? [[name, provider]] : [])));
  if (
    defaultProvider !== undefined &&
    !(typeof defaultProvider === 'string' && Object.hasOwn(named, defaultProvider))
  ) {
    throw new Error('defaultProvider must be the name of one of its providers.');
  }
  return {
    providers: named,
    env: env as Readonly<Record<string, string>>,
    ...(defaultProvider !== undefined && { defaultProvider }),
  };
}

function asRecord(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Error(`${what} must be an object.`);
}
