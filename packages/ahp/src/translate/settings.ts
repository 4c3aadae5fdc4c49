import type { ClientActionInput } from '@agenthost/client';
import type { SessionSetting, SessionState } from '@agenthost/protocol';
import type { AhpAction, AhpConfig } from '../types.js';
import { isRecord, type JsonRecord } from './json.js';

/**
 * Where a new session works. The names that VS Code's own host has for it, `isolation` and `branch`, get no picker in a window of
 * VS Code, which always sends `isolation: folder`.
 */
export const ISOLATION = 'agenthost.isolation';
export const BRANCH = 'agenthost.branch';

/** Whether a change of a session's configuration is about where it works, which nothing can change later. */
export function choosesPlace(config: unknown): boolean {
  return isRecord(config) && (Object.hasOwn(config, ISOLATION) || Object.hasOwn(config, BRANCH));
}

type Settings = Pick<SessionState, 'settings'>;

/**
 * The settings as the configuration of the session; also when it has none, because VS Code ignores changes of a configuration that
 * its snapshot did not have. No action of AHP can change its schema: only a snapshot has a new one. `more` is what the client could
 * choose when it created the session.
 */
export function sessionConfigOf(
  { settings = [] }: Settings,
  more: AhpConfig | undefined,
): { readonly config: AhpConfig } {
  const properties = { ...more?.schema.properties, ...propertiesOf(settings) };
  return { config: { schema: { type: 'object', properties }, values: { ...more?.values, ...valuesOf(settings) } } };
}

export function propertiesOf(settings: readonly SessionSetting[]): Readonly<Record<string, JsonRecord>> {
  return Object.fromEntries(settings.map((setting) => [keyOf(setting), propertyOf(setting)]));
}

/** What VS Code calls the modes of its own agent. */
const VSCODE_MODE = 'interactive';
/** VS Code has pickers for these, with icons, a warning for modes without questions, and a place beside the model. */
const MODE = 'mode';
const PERMISSION_MODE = 'permissionMode';

/** The name of a setting in the configuration. The modes of most agents say what they may do without asking. */
export function keyOf({ id, kind, values }: SessionSetting): string {
  if (kind !== 'mode') return id;
  return values.some((value) => value.id === VSCODE_MODE) ? MODE : PERMISSION_MODE;
}

function propertyOf({ name, description, values }: SessionSetting): JsonRecord {
  return {
    type: 'string',
    title: name,
    ...(description !== undefined && { description }),
    enum: values.map(({ id }) => id),
    enumLabels: values.map((value) => value.name),
    enumDescriptions: values.map((value) => value.description ?? ''),
    sessionMutable: true,
  };
}

export function configActions(before: Settings, after: Settings): AhpAction[] {
  if (before.settings === after.settings) return [];
  const [was, is] = [valuesOf(before.settings ?? []), valuesOf(after.settings ?? [])];
  const isFewer = Object.keys(was).some((id) => !Object.hasOwn(is, id));
  if (isFewer) return [{ type: 'session/configChanged', config: is, replace: true }];
  const changed = Object.entries(is).filter(([id, value]) => !Object.hasOwn(was, id) || was[id] !== value);
  return changed.length === 0 ? [] : [{ type: 'session/configChanged', config: Object.fromEntries(changed) }];
}

/** The settings that a client's configuration changes. */
export function chosenSettings(config: unknown, { settings = [] }: Settings): ClientActionInput[] {
  if (!isRecord(config)) return [];
  return settings.flatMap((setting) => {
    const key = keyOf(setting);
    const value = Object.hasOwn(config, key) ? config[key] : undefined;
    return typeof value === 'string' && value !== setting.value
      ? [{ type: 'session/settingChosen' as const, setting: setting.id, value }]
      : [];
  });
}

function valuesOf(settings: readonly SessionSetting[]): Readonly<Record<string, string>> {
  return Object.fromEntries(settings.map((setting) => [keyOf(setting), setting.value]));
}
