import type * as z from 'zod';
import type { WireTypes } from '../wireTypes.js';
import type { SCHEMAS } from './schemas.js';

// Compile-time proof that schemas and interfaces are equal, in both directions: a field, an option or a value of an enum
// that only one of the two has makes its type's name appear in the error below.

export type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** True only for identical types: mutual assignability would not notice a missing optional field. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** The names whose schema does not say what their interface says. */
export type Mismatches<Types, Schemas extends { readonly [K in keyof Types]: z.ZodType }> = {
  [K in keyof Types]: Equal<DeepReadonly<z.output<Schemas[K]>>, DeepReadonly<Types[K]>> extends true ? never : K;
}[keyof Types];

/** Does not compile when T is anything: the error names what it is. */
export type AssertNone<T extends never> = T;

export type SchemasEqualTypes = AssertNone<Mismatches<WireTypes, typeof SCHEMAS>>;
