/**
 * Everything that is exported here is public API: `etc/ahp.api.md` lists it, and a change of it is a change of the version.
 *
 * - `AhpGateway` speaks the Agent Host Protocol with its clients, and the protocol of this repository with the host.
 * - `AHP_VERSIONS` says which versions.
 */
export { type AhpCredential, AhpGateway, type AhpGatewayOptions, type AhpLog } from './gateway/gateway.js';
export type { AhpLimits } from './gateway/limits.js';
export { AHP_VERSIONS, type AhpVersion } from './versions.js';
