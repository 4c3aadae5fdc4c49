/** `@agenthost/client/internal`: for the other packages of this repository, which are pinned to one version. It may change in any version. */
export { Emitter, type Event } from '@agenthost/rpc';
export { reportFailure } from '@agenthost/rpc/internal';
export { backoffDelay } from './connection/backoff.js';
export { listInStep } from './listInStep.js';
