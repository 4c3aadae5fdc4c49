export { translateAction } from './actions.js';
export { AHP_REQUESTS } from './connection.js';
export { type AhpDoor, AhpGateway, type AhpGatewayOptions, type AhpLog } from './gateway.js';
export { type AhpLimits, DEFAULT_AHP_LIMITS } from './limits.js';
export { chatOf, sessionOf, summaryOf } from './state.js';
export { AHP_VERSIONS, type AhpVersion } from './versions.js';
