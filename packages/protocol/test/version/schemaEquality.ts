import type * as z from 'zod';
import type * as actions from '../../src/schemas/actionSchemas.js';
import type * as audit from '../../src/schemas/auditSchemas.js';
import type * as clientTools from '../../src/schemas/clientToolSchemas.js';
import type * as commands from '../../src/schemas/commandSchemas.js';
import type * as common from '../../src/schemas/commonSchemas.js';
import type * as devices from '../../src/schemas/deviceSchemas.js';
import type * as files from '../../src/schemas/fileSchemas.js';
import type * as forms from '../../src/schemas/formSchemas.js';
import type * as handshake from '../../src/schemas/handshakeSchemas.js';
import type * as land from '../../src/schemas/landSchemas.js';
import type * as native from '../../src/schemas/nativeSchemas.js';
import type * as notifications from '../../src/schemas/notificationSchemas.js';
import type * as push from '../../src/schemas/pushSchemas.js';
import type * as reviews from '../../src/schemas/reviewSchemas.js';
import type * as rootState from '../../src/schemas/rootStateSchemas.js';
import type * as sessionFs from '../../src/schemas/sessionFsSchemas.js';
import type * as sessionState from '../../src/schemas/sessionStateSchemas.js';
import type * as several from '../../src/schemas/severalSchemas.js';
import type * as terminals from '../../src/schemas/terminalSchemas.js';
import type * as toolCalls from '../../src/schemas/toolCallSchemas.js';
import type * as turns from '../../src/schemas/turnSchemas.js';
import type * as work from '../../src/schemas/workSchemas.js';

// What zod infers from the schemas, beside the types that were generated from them: two ways that have to agree.

type ByTypeName<Module> = {
  readonly [K in keyof Module as Module[K] extends z.ZodType ? Capitalize<K & string> : never]: Module[K];
};

type ActionSchema = z.ZodObject<{ readonly type: z.ZodLiteral<string> }>;

type ActionName<Type> = Type extends `${string}/${infer Name}` ? `${Capitalize<Name>}Action` : never;

type ByActionName<Schemas extends readonly ActionSchema[]> = {
  readonly [S in Schemas[number] as ActionName<z.output<S>['type']>]: S;
};

/** The schemas of all wire types, with the types that zod knows them by. */
export type InferredSchemas = ByTypeName<typeof audit> &
  ByTypeName<typeof common> &
  ByTypeName<typeof rootState> &
  ByTypeName<typeof toolCalls> &
  ByTypeName<typeof forms> &
  ByTypeName<typeof turns> &
  ByTypeName<typeof reviews> &
  ByTypeName<typeof several> &
  ByTypeName<typeof sessionState> &
  ByTypeName<typeof actions> &
  ByActionName<typeof actions.CLIENT_ACTIONS> &
  ByActionName<typeof actions.HOST_ACTIONS> &
  ByActionName<typeof actions.ROOT_ACTIONS> &
  ByActionName<typeof actions.CHANGES_ACTIONS> &
  ByTypeName<typeof terminals> &
  ByTypeName<typeof notifications> &
  ByTypeName<typeof handshake> &
  ByTypeName<typeof devices> &
  ByTypeName<typeof clientTools> &
  ByTypeName<typeof commands> &
  ByTypeName<typeof native> &
  ByTypeName<typeof push> &
  ByTypeName<typeof sessionFs> &
  ByTypeName<typeof work> &
  ByTypeName<typeof land> &
  ByTypeName<typeof files>;

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** True only for identical types: mutual assignability would not notice a missing optional field. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** The names whose schema does not say what their type says. */
export type Mismatches<Types, Schemas extends { readonly [K in keyof Types]: z.ZodType }> = {
  [K in keyof Types]: Equal<DeepReadonly<z.output<Schemas[K]>>, DeepReadonly<Types[K]>> extends true ? never : K;
}[keyof Types];
