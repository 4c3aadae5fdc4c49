import type { Session } from '../session.js';

/**
 * The order of the sessions of a group. `keyOf` is asked when a session is placed, and what it says is kept with the row:
 * a list that is in order must not change underneath. Rows that are equal are ordered by their ids.
 */
export interface SessionsOrder<K = unknown> {
  readonly keyOf: (session: Session) => K;
  readonly compare: (a: K, b: K) => number;
}

const newest: SessionsOrder<number> = {
  keyOf: ({ updatedAt }) => updatedAt.value.getTime(),
  compare: (a, b) => b - a,
};

const created: SessionsOrder<number> = {
  keyOf: ({ createdAt }) => createdAt.getTime(),
  compare: (a, b) => b - a,
};

const title: SessionsOrder<string> = {
  keyOf: ({ title }) => title.value,
  compare: (a, b) => a.localeCompare(b),
};

export const sessionsOrders = { newest, created, title } as const;

export type SessionsOrderName = keyof typeof sessionsOrders;
