/** What a token allows, each also what those before it do. The host gives it; what a client says of itself counts for nothing. */
export const ROLES = ['viewer', 'approver', 'driver', 'owner'] as const;

export type Role = (typeof ROLES)[number];

/** `error.data` of a command that the role does not allow. */
export interface RoleRefusedData {
  readonly role: Role;
  /** The least that would do. */
  readonly needs: Role;
}

export function roleIncludes(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
