import type { Action } from '../types/actions.js';
import type { Notification } from '../types/notifications.js';
import type { ChangesState } from '../types/work.js';

// The rules of evolution as types. Each yields `true` or `false` and stands inside `Expect`: a check that yields `never`
// where it fails would compile just as well.

export type Expect<T extends true> = T;

/** Does not compile when T is anything: the error names what it is. */
export type AssertNone<T extends never> = T;

/**
 * Whether `New` may take the place of `Old`: the only change allowed is an added optional field.
 * New → Old fails for a removed required field, a changed type, a wider union; Old → New for an added required field and a
 * narrower union; the keys for a removed optional field, which assignability alone lets pass.
 */
export type Compatible<Old, New> = [New] extends [Old]
  ? [Old] extends [New]
    ? keyof Old extends keyof New
      ? true
      : false
    : false
  : false;

/**
 * `T` as a client of an older version gets it: without the actions and notifications that the host does not send to it, and
 * without the states of resources that it can't subscribe to.
 */
export type AsKnownTo<T, KnownTypes> = T extends Action | Notification
  ? T['type'] extends KnownTypes
    ? { readonly [K in keyof T]: AsKnownTo<T[K], KnownTypes> }
    : never
  : T extends ChangesState
    ? never
    : T extends object
      ? { readonly [K in keyof T]: AsKnownTo<T[K], KnownTypes> }
      : T;

/** The names in `Frozen` whose living type is gone or no longer compatible. */
export type Incompatible<Frozen, Living, KnownTypes> = {
  [K in keyof Frozen]: K extends keyof Living
    ? Compatible<Frozen[K], AsKnownTo<Living[K], KnownTypes>> extends true
      ? never
      : K
    : K;
}[keyof Frozen];
