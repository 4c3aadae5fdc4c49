import type { SessionSetting, SettingValue } from '@agenthost/protocol';
import {
  isSafeKey,
  MAX_ID_LENGTH,
  MAX_SETTING_VALUES,
  MAX_SETTINGS,
  MAX_SETTINGS_LENGTH,
} from '@agenthost/protocol/internal';
import { oneLine } from './boundedText.js';

const MAX_NAME = 100;
const MAX_DESCRIPTION = 300;

/**
 * Limits the settings to what clients accept, each text on one line. What has an invalid or a repeated id is left out. When all of
 * them are too long, their descriptions go first, then the last settings.
 */
export function boundedSettings(settings: readonly SessionSetting[]): SessionSetting[] {
  let bounded = firstOf(settings, MAX_SETTINGS, boundedSetting);
  if (!fits(bounded)) bounded = bounded.map(withoutDescriptions);
  while (!fits(bounded)) bounded = bounded.slice(0, -1);
  return bounded;
}

function boundedSetting({ id, name, description, kind, value, values }: SessionSetting): SessionSetting | undefined {
  if (!isId(value)) return undefined;
  return {
    ...named({ id, name, description }),
    ...(kind !== undefined && isId(kind) && { kind }),
    value,
    values: firstOf(values, MAX_SETTING_VALUES, named),
  };
}

function named({ id, name, description }: NamedThing): SettingValue {
  const short = oneLine(description ?? '', MAX_DESCRIPTION);
  return { id, name: oneLine(name, MAX_NAME) || oneLine(id, MAX_NAME), ...(short && { description: short }) };
}

interface NamedThing {
  readonly id: string;
  readonly name: string;
  readonly description?: string | undefined;
}

/** The first with valid, different ids. */
function firstOf<T extends { readonly id: string }, U>(
  all: readonly T[],
  limit: number,
  bound: (one: T) => U | undefined,
): U[] {
  const found = new Map<string, U>();
  for (const one of all) {
    if (found.size >= limit) break;
    const bounded = isId(one.id) && !found.has(one.id) ? bound(one) : undefined;
    if (bounded !== undefined) found.set(one.id, bounded);
  }
  return [...found.values()];
}

function isId(id: string): boolean {
  return id !== '' && id.length <= MAX_ID_LENGTH && isSafeKey(id) && !/[\p{Cc}\p{Cs}]/u.test(id);
}

function withoutDescriptions({ description: _, values, ...setting }: SessionSetting): SessionSetting {
  return { ...setting, values: values.map(({ id, name }) => ({ id, name })) };
}

function fits(settings: readonly SessionSetting[]): boolean {
  return JSON.stringify(settings).length <= MAX_SETTINGS_LENGTH;
}
