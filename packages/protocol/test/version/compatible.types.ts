// Compiled by `tsc -b`, never run. Each `@ts-expect-error` is a change that must not compile: were a check unable to fail,
// the directive above it would be the error.
import type * as z from 'zod';
import type { ACTION_INTRODUCED_IN } from '../../src/tables/tableRules.js';
import type { Action } from '../../src/types/actions.js';
import type { TurnStartedAction } from '../../src/types/clientActions.js';
import type { Notification } from '../../src/types/notifications.js';
import type { WireTypes } from '../../src/types/wireTypes.js';
import type { AsKnownTo, AssertNone, Compatible, Expect, Incompatible } from '../../src/version/compatible.js';
import type { WireTypesV1 } from '../../src/version/frozen/v1.js';
import type { InferredSchemas, Mismatches } from './schemaEquality.js';

type TurnStartedV1 = WireTypesV1['TurnStartedAction'];
type StatusV1 = WireTypesV1['SessionStatus'];
type Change<T, With> = Omit<T, keyof With> & With;

// [VER1] what may change
export type Unchanged = Expect<Compatible<TurnStartedV1, TurnStartedAction>>;
export type AddedOptionalField = Expect<Compatible<TurnStartedV1, TurnStartedAction & { readonly priority?: number }>>;

// [VER1] what may not
// @ts-expect-error a removed field
export type RemovedField = Expect<Compatible<TurnStartedV1, Omit<TurnStartedAction, 'userMessage'>>>;
// @ts-expect-error a removed optional field
export type RemovedOptionalField = Expect<Compatible<TurnStartedV1, Omit<TurnStartedAction, 'queuedMessageId'>>>;
// @ts-expect-error a changed type
export type ChangedType = Expect<Compatible<TurnStartedV1, Change<TurnStartedAction, { turnId: number }>>>;
// @ts-expect-error an added required field
export type AddedRequiredField = Expect<Compatible<TurnStartedV1, TurnStartedAction & { readonly priority: number }>>;
// @ts-expect-error an optional field that became required
export type NowRequired = Expect<Compatible<TurnStartedV1, Change<TurnStartedAction, { queuedMessageId: string }>>>;
// @ts-expect-error a required field that became optional
export type NowOptional = Expect<Compatible<TurnStartedV1, Change<TurnStartedAction, { turnId?: string }>>>;
// @ts-expect-error a value added to an enumeration
export type WiderUnion = Expect<Compatible<StatusV1, WireTypes['SessionStatus'] | 'paused'>>;
// @ts-expect-error a value taken from an enumeration
export type NarrowerUnion = Expect<Compatible<StatusV1, Exclude<WireTypes['SessionStatus'], 'error'>>>;
// @ts-expect-error a renamed action
export type RenamedAction = Expect<Compatible<TurnStartedV1, Change<TurnStartedAction, { type: 'session/begun' }>>>;

// [VER1] a new action is allowed: the host does not send it to clients of version 1
type KnownToV1 = WireTypesV1['Action']['type'] | WireTypesV1['Notification']['type'];
type WithoutDelta = Exclude<KnownToV1, 'session/delta'>;
type EnvelopeToOlder = AsKnownTo<WireTypes['ActionEnvelope'], WithoutDelta>;
export type NewActionIsNotSent = Expect<
  Compatible<Exclude<WireTypesV1['Action']['type'], 'session/delta'>, EnvelopeToOlder['action']['type']>
>;
// @ts-expect-error … but one that was there in version 1 may not go
export type RemovedAction = Expect<Compatible<WireTypesV1['ActionEnvelope'], EnvelopeToOlder>>;

// [VER1] the check over all types names the culprit
type Broken = Change<WireTypes, { Author: { readonly clientId: number } }>;
// @ts-expect-error
export type BrokenIsFound = AssertNone<Incompatible<WireTypesV1, Broken, KnownToV1>>;
export type BrokenIsNamed = Expect<Compatible<'Author', Incompatible<Pick<WireTypesV1, 'Author'>, Broken, KnownToV1>>>;
// @ts-expect-error a type that is gone
export type GoneIsFound = AssertNone<Incompatible<WireTypesV1, Omit<WireTypes, 'Author'>, KnownToV1>>;

// [VER2] every action has an entry
type NewAction = { readonly type: 'session/renamed' };
type Registry<A extends { readonly type: string }> = { readonly [K in A['type']]: number };
declare const registry: typeof ACTION_INTRODUCED_IN;
export const complete: Registry<Action> = registry;
// @ts-expect-error an action without an entry
export const incomplete: Registry<Action | NewAction> = registry;
// @ts-expect-error a notification without an entry
export const missing: Registry<Notification> = { 'notify/sessionAdded': 1, 'notify/sessionRemoved': 1 };

// [SCH1] what zod infers from the schemas equals the generated types
type Schema<T> = z.ZodType<T>;
type Author = WireTypes['Author'];
export type SchemasFit = AssertNone<Mismatches<WireTypes, InferredSchemas>>;
// @ts-expect-error a schema that lacks an optional field
export type SchemaLacksField = AssertNone<Mismatches<{ A: Author }, { A: Schema<Omit<Author, 'device'>> }>>;
// @ts-expect-error a schema that has a field more
export type SchemaHasMore = AssertNone<Mismatches<{ A: Author }, { A: Schema<Author & { more?: string }> }>>;
// @ts-expect-error a schema with another type
export type SchemaDiffers = AssertNone<Mismatches<{ A: Author }, { A: Schema<Change<Author, { clientId: number }>> }>>;
// @ts-expect-error a schema that takes an explicit undefined
export type SchemaUndefined = AssertNone<Mismatches<{ A: { b?: string } }, { A: Schema<{ b?: string | undefined }> }>>;
