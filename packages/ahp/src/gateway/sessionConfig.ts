import { isRecord, type JsonRecord } from '../translate/json.js';
import { EMPTY_CONFIG } from '../translate/state.js';
import type { AhpConfig } from '../types.js';

/** The options for a new session beside its model and its folder: none yet. */
export const SESSION_CONFIG: AhpConfig = EMPTY_CONFIG;

/**
 * The client's choices, as far as the schema offers them. VS Code sends choices of its own host's schema regardless of this one;
 * an agent that gets such a choice would refuse the session.
 */
export function chosenConfig(config: unknown, { schema }: AhpConfig = SESSION_CONFIG): JsonRecord {
  if (!isRecord(config)) return {};
  const offered = Object.entries(schema.properties).filter(
    ([key, property]) => Object.hasOwn(config, key) && fits(config[key], property),
  );
  return Object.fromEntries(offered.map(([key]) => [key, config[key]]));
}

function fits(value: unknown, property: unknown): boolean {
  if (!isRecord(property)) return false;
  if (Array.isArray(property['enum'])) return property['enum'].includes(value);
  return property['type'] === 'array' ? Array.isArray(value) : typeof value === property['type'] && value !== null;
}
