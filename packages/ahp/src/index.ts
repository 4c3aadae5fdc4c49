export { AHP_REQUESTS } from './gateway/connection.js';
export { type AhpCredential, AhpGateway, type AhpGatewayOptions, type AhpLog } from './gateway/gateway.js';
export { type AhpLimits, DEFAULT_AHP_LIMITS } from './gateway/limits.js';
export { translateAction } from './translate/actions.js';
export { chatOf, sessionOf, summaryOf } from './translate/state.js';
export { AHP_VERSIONS, type AhpVersion } from './versions.js';
