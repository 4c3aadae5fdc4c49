import * as z from 'zod';
import { ERROR_CODE } from '../errors.js';
import {
  CLIENT_NOTIFICATION_SCHEMAS,
  CLIENT_TOOL_SCHEMAS,
  COMMAND_SCHEMAS,
  HOST_NOTIFICATION_SCHEMAS,
  SCHEMAS,
  SESSION_FS_SCHEMAS,
} from '../schemas/schemas.js';
import { MIN_PROTOCOL_VERSION, PROTOCOL_VERSION } from '../version/versions.js';

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';
const TYPES_FILE = 'types.schema.json';

/** The files for clients in other languages, by name. Unknown fields are allowed everywhere: a newer side may send some. */
export function jsonSchemaFiles(): Readonly<Record<string, object>> {
  return { [TYPES_FILE]: types(), 'methods.json': methods() };
}

function types(): object {
  const registry = z.registry<{ id: string }>();
  for (const [name, schema] of Object.entries(SCHEMAS)) registry.add(schema, { id: name });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/$defs/${id}`, io: 'input' });
  const definitions = Object.entries(schemas)
    .map(([name, { $schema: _, $id: __, ...definition }]) => [name, definition] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return { $schema: DRAFT, title: 'agenthost protocol: types', $defs: Object.fromEntries(definitions) };
}

function methods(): object {
  return {
    title: 'agenthost protocol: methods',
    protocolVersion: PROTOCOL_VERSION,
    minProtocolVersion: MIN_PROTOCOL_VERSION,
    clientRequests: requests(COMMAND_SCHEMAS),
    clientNotifications: refs(CLIENT_NOTIFICATION_SCHEMAS),
    hostNotifications: refs(HOST_NOTIFICATION_SCHEMAS),
    hostRequests: requests(SESSION_FS_SCHEMAS),
    clientToolRequests: requests(CLIENT_TOOL_SCHEMAS),
    errorCodes: ERROR_CODE,
  };
}

function requests(schemas: Readonly<Record<string, { params: z.ZodType; result: z.ZodType }>>): object {
  return Object.fromEntries(Object.entries(schemas).map(([method, schema]) => [method, refs(schema)]));
}

function refs(schemas: Readonly<Record<string, z.ZodType>>): object {
  return Object.fromEntries(Object.entries(schemas).map(([key, schema]) => [key, ref(schema)]));
}

function ref(schema: z.ZodType): object {
  const name = Object.entries(SCHEMAS).find(([, candidate]) => candidate === schema)?.[0];
  if (name) return { $ref: `${TYPES_FILE}#/$defs/${name}` };
  const { $schema: _, ...inline } = z.toJSONSchema(schema);
  return inline;
}
