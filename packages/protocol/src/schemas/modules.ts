import * as z from 'zod';
import * as actions from './actionSchemas.js';
import * as audit from './auditSchemas.js';
import * as clientTools from './clientToolSchemas.js';
import * as commands from './commandSchemas.js';
import * as common from './commonSchemas.js';
import * as devices from './deviceSchemas.js';
import * as files from './fileSchemas.js';
import * as forms from './formSchemas.js';
import * as handshake from './handshakeSchemas.js';
import * as land from './landSchemas.js';
import * as native from './nativeSchemas.js';
import * as notifications from './notificationSchemas.js';
import * as push from './pushSchemas.js';
import * as reviews from './reviewSchemas.js';
import * as rootState from './rootStateSchemas.js';
import * as sessionFs from './sessionFsSchemas.js';
import * as sessionState from './sessionStateSchemas.js';
import * as several from './severalSchemas.js';
import * as terminals from './terminalSchemas.js';
import * as toolCalls from './toolCallSchemas.js';
import * as turns from './turnSchemas.js';
import * as work from './workSchemas.js';

/** The schemas of each module by the names of their types, which are in the file of that name in `types/`. */
export const SCHEMA_MODULES: Readonly<Record<string, Readonly<Record<string, z.ZodType>>>> = {
  common: byTypeName(common),
  rootState: byTypeName(rootState),
  toolCalls: byTypeName(toolCalls),
  forms: byTypeName(forms),
  turns: byTypeName(turns),
  reviews: { ...byTypeName(reviews), ...byTypeName(several) },
  sessionState: byTypeName(sessionState),
  clientActions: byActionName(actions.CLIENT_ACTIONS),
  hostActions: byActionName([...actions.HOST_ACTIONS, ...actions.ROOT_ACTIONS, ...actions.CHANGES_ACTIONS]),
  actions: byTypeName(actions),
  terminals: byTypeName(terminals),
  notifications: byTypeName(notifications),
  handshake: byTypeName(handshake),
  devices: byTypeName(devices),
  commands: byTypeName(commands),
  native: byTypeName(native),
  clientTools: byTypeName(clientTools),
  push: byTypeName(push),
  sessionFs: byTypeName(sessionFs),
  work: byTypeName(work),
  land: byTypeName(land),
  audit: byTypeName(audit),
  files: byTypeName(files),
};

/** A schema that is exported as `userMessage` is that of the type UserMessage. */
function byTypeName(module: Readonly<Record<string, unknown>>): Record<string, z.ZodType> {
  const schemas = Object.entries(module).filter((entry): entry is [string, z.ZodType] => entry[1] instanceof z.ZodType);
  return Object.fromEntries(schemas.map(([name, schema]) => [name.charAt(0).toUpperCase() + name.slice(1), schema]));
}

/** `session/turnStarted` is a TurnStartedAction. */
function byActionName(
  schemas: readonly z.ZodObject<{ readonly type: z.ZodLiteral<string> }>[],
): Record<string, z.ZodType> {
  return byTypeName(Object.fromEntries(schemas.map((schema) => [actionName(schema.shape.type.value), schema])));
}

function actionName(type: string): string {
  return `${type.slice(type.indexOf('/') + 1)}Action`;
}
