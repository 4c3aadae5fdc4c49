/** `@agenthost/rpc/internal`: for the other packages of this repository, which are pinned to one version. It may change in any version. */
export { reportFailure } from './events.js';
export { jsonValues, type Message, parseMessage, parseObject, type RequestId } from './peer/message.js';
export { scheduleWithTimer } from './schedule.js';
