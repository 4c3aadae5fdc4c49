import type { HostClient } from '@agenthost/client';
import { roleIncludes, type SessionSetting, type URI } from '@agenthost/protocol';
import { isRecord, type JsonRecord, textOf } from '../translate/json.js';
import { BRANCH, ISOLATION, keyOf, propertiesOf } from '../translate/settings.js';
import type { AhpConfig } from '../types.js';
import type { AhpClient } from './ahpClient.js';
import { optionalText, requiredText } from './params.js';

const WORKTREE = 'worktree';
const FOLDER = 'folder';
const MAX_ITEMS = 100;

/** What a client chose for a new session. */
export interface ChosenConfig {
  /** For `createSession` of our host. */
  readonly config: JsonRecord;
  /** Settings of the agent, by their ids: chosen when the agent runs. */
  readonly settings: Readonly<Record<string, string>>;
  /** What the session's configuration has beside the settings. */
  readonly shown: AhpConfig;
}

interface Choices {
  readonly settings: readonly SessionSetting[];
  /** The branch that is checked out, where the folder is in a git repository. */
  readonly checkout: { readonly branch?: string } | undefined;
}

/** What can be chosen for a new session with this agent in this folder, and what is chosen already. */
export async function resolveSessionConfig(client: AhpClient, params: JsonRecord): Promise<AhpConfig> {
  const folder = optionalText(params, 'workingDirectory');
  const choices = await choicesFor(client, optionalText(params, 'provider'), folder);
  const config = isRecord(params['config']) ? params['config'] : {};
  const place = placeConfig(choices, config);
  const properties = { ...place.schema.properties, ...propertiesOf(choices.settings) };
  const schema = { type: 'object', properties } as const;
  return { schema, values: { ...place.values, ...fitting(config, schema) } };
}

export async function sessionConfigCompletions(client: AhpClient, params: JsonRecord) {
  const folder = optionalText(params, 'workingDirectory');
  if (requiredText(params, 'property') !== BRANCH || folder === undefined) return { items: [] };
  const query = (optionalText(params, 'query') ?? '').toLowerCase();
  const { branches = [] } = (await checkoutAt(client.host, folder, { branches: true })) ?? {};
  const found = branches.filter((name) => name.toLowerCase().includes(query)).slice(0, MAX_ITEMS);
  return { items: found.map((name) => ({ value: name, label: name })) };
}

/**
 * The client's choices, as far as they are offered. VS Code sends choices of its own host's schema regardless of this one; an agent
 * that gets such a choice would refuse the session.
 */
export async function chosenConfig(
  client: AhpClient,
  provider: string,
  folder: URI | undefined,
  given: unknown,
): Promise<ChosenConfig> {
  const choices = await choicesFor(client, provider, folder);
  const config = isRecord(given) ? given : {};
  const shown = placeConfig(choices, config);
  const fit = fitting(config, { properties: propertiesOf(choices.settings) });
  const chosen = choices.settings.flatMap((setting) => {
    const value = textOf(fit[keyOf(setting)]);
    return value === undefined ? [] : [[setting, value] as const];
  });
  const [, mode] = chosen.find(([{ kind }]) => kind === 'mode') ?? [];
  const base = textOf(shown.values[BRANCH]);
  const isIsolated = shown.values[ISOLATION] === WORKTREE;
  return {
    config: {
      ...(mode !== undefined && { mode }),
      ...(isIsolated && { isolation: { kind: WORKTREE, ...(base && { base }) } }),
    },
    settings: Object.fromEntries(chosen.flatMap(([{ id, kind }, value]) => (kind === 'mode' ? [] : [[id, value]]))),
    shown,
  };
}

function placeConfig({ checkout }: Choices, config: JsonRecord): AhpConfig {
  if (!checkout) return { schema: { type: 'object', properties: {} }, values: {} };
  const isIsolated = (config[ISOLATION] ?? config['isolation']) === WORKTREE;
  const branch = textOf(config[BRANCH]) || textOf(config['branch']) || checkout.branch;
  return {
    schema: { type: 'object', properties: { [ISOLATION]: WHERE, ...(isIsolated && { [BRANCH]: FROM }) } },
    values: {
      [ISOLATION]: isIsolated ? WORKTREE : FOLDER,
      ...(isIsolated && branch !== undefined && { [BRANCH]: branch }),
    },
  };
}

const WHERE: JsonRecord = {
  type: 'string',
  title: 'Where it works',
  description: 'In the project folder, or in a git worktree of its own with a new branch.',
  enum: [FOLDER, WORKTREE],
  enumLabels: ['Project folder', 'New worktree'],
  enumDescriptions: ['Changes your files.', 'Leaves your files alone until you merge its branch.'],
  default: FOLDER,
};

const FROM: JsonRecord = {
  type: 'string',
  title: 'Base branch',
  description: 'Where the new branch begins.',
  enumDynamic: true,
};

async function choicesFor(client: AhpClient, provider: string | undefined, folder: URI | undefined): Promise<Choices> {
  const [settings, checkout] = await Promise.all([
    provider === undefined ? [] : client.settings.of(provider),
    folder === undefined ? undefined : checkoutAt(client.host, folder),
  ]);
  return { settings, checkout };
}

/** Only drivers may look at folders, and only they create sessions. */
async function checkoutAt(host: HostClient, folder: URI, options: { readonly branches?: true } = {}) {
  if (!roleIncludes(host.role, 'driver')) return undefined;
  const found = await host.browseDirectory(folder, options).catch(() => undefined);
  return found?.checkout;
}

function fitting(config: JsonRecord, { properties }: Pick<AhpConfig['schema'], 'properties'>): JsonRecord {
  const offered = Object.entries(properties).filter(
    ([key, property]) => Object.hasOwn(config, key) && fits(config[key], property),
  );
  return Object.fromEntries(offered.map(([key]) => [key, config[key]]));
}

function fits(value: unknown, property: unknown): boolean {
  if (!isRecord(property) || typeof value !== 'string') return false;
  return Array.isArray(property['enum']) && property['enum'].includes(value);
}
