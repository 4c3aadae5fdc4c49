import { ROLES, type Role, roleIncludes } from '@agenthost/protocol';

const NAMES: Readonly<Record<Role, string>> = {
  viewer: 'Viewer',
  approver: 'Approver',
  driver: 'Driver',
  owner: 'Owner',
};

export function roleName(role: Role): string {
  return NAMES[role];
}

/** From the least to the most. */
export const ALL_ROLES: readonly Role[] = ROLES;

/** What a phone may be given, the usual one first. An owner is made on the machine or in the list of devices. */
export const PHONE_ROLES: readonly { readonly role: Role; readonly text: string }[] = [
  { role: 'approver', text: 'Reads everything, answers questions and confirmations' },
  { role: 'driver', text: 'Also writes, starts and stops sessions, uses terminals' },
  { role: 'viewer', text: 'Only reads' },
];

interface Ability {
  readonly needs: Role;
  readonly text: (host: string) => string;
}

const ABILITIES: readonly Ability[] = [
  { needs: 'viewer', text: (host) => `Read all sessions on ${host}` },
  { needs: 'approver', text: () => 'Answer questions and confirmations' },
  { needs: 'driver', text: () => 'Write messages, start sessions, use terminals' },
  { needs: 'owner', text: (host) => `Add and revoke devices, and administer ${host}` },
];

/** What a device of this role may do, and the first thing that it may not. */
export function abilities(
  role: Role,
  host: string,
): { readonly can: readonly string[]; readonly not: string | undefined } {
  const can = ABILITIES.filter(({ needs }) => roleIncludes(role, needs)).map(({ text }) => text(host));
  const first = ABILITIES.find(({ needs }) => !roleIncludes(role, needs) && needs !== 'owner');
  return { can, not: first && `${first.text(host)}. Ask for the role ${roleName(first.needs)} on ${host}.` };
}
