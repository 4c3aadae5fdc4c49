import type { Role } from './types/handshake.js';

/** What a token allows, each also what those before it do. The host gives it; what a client says of itself counts for nothing. */
export const ROLES = ['viewer', 'approver', 'driver', 'owner'] as const satisfies readonly Role[];
