import type { Role } from './types/handshake.js';

/** What a token allows, each also what those before it do. The host gives it; what a client says of itself counts for nothing. */
export const ROLES = ['viewer', 'approver', 'driver', 'owner'] as const satisfies readonly Role[];

const MAY: Readonly<Record<Role, string>> = {
  viewer: 'may only watch',
  approver: 'may answer questions, in up to 1,000 characters, and stop turns, but not more',
  driver: 'may work in sessions, but not administer the host',
  owner: 'may do everything',
};

/** A sentence for people. */
export function describeRole(role: Role): string {
  return `This device ${MAY[role]} (role ${role}).`;
}

/**
 * Whether a role may do everything that the other one may.
 *
 * @example
 * ```ts
 * roleIncludes('owner', 'viewer'); // true
 * ```
 */
export function roleIncludes(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
