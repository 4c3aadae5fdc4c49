import type { ClientActionInput } from '@agenthost/client';
import type { SessionSetting, SessionState } from '@agenthost/protocol';
import type { AhpAction, AhpConfig } from '../types.js';
import { isRecord, type JsonRecord } from './json.js';

type Settings = Pick<SessionState, 'settings'>;

/**
 * The settings as the configuration of the session; also when it has none, because VS Code ignores changes of a configuration that
 * its snapshot did not have. No action of AHP can change its schema: only a snapshot has a new one.
 */
export function sessionConfigOf({ settings = [] }: Settings): { readonly config: AhpConfig } {
  const properties = Object.fromEntries(settings.map((setting) => [setting.id, propertyOf(setting)]));
  return { config: { schema: { type: 'object', properties }, values: valuesOf(settings) } };
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
  return settings.flatMap(({ id, value: current }) => {
    const value = Object.hasOwn(config, id) ? config[id] : undefined;
    return typeof value === 'string' && value !== current
      ? [{ type: 'session/settingChosen' as const, setting: id, value }]
      : [];
  });
}

function valuesOf(settings: readonly SessionSetting[]): Readonly<Record<string, string>> {
  return Object.fromEntries(settings.map(({ id, value }) => [id, value]));
}
