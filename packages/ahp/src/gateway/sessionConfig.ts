import { isRecord, type JsonRecord } from '../translate/json.js';
import { EMPTY_CONFIG } from '../translate/state.js';
import type { AhpConfig } from '../types.js';

/** What can be chosen for a new session, beside its model and its folder: nothing yet. */
export const SESSION_CONFIG: AhpConfig = EMPTY_CONFIG;

/**
 * What a client chose, as far as the schema offers it. VS Code sends what it knows of its own host's schema, whatever it was
 * told of this one's; an agent that is handed such a choice refuses the session.
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
