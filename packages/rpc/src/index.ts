export {
  ConnectionClosedError,
  type LocalErrorCode,
  LocalRpcError,
  RequestTimeoutError,
  RPC_ERROR,
  RpcError,
} from './errors.js';
export { type Disposable, Emitter, type Event, reportFailure } from './events.js';
export { LateResult, type NotificationHandler, type RequestContext, type RequestHandler } from './peer/dispatcher.js';
export {
  encodeError,
  encodeNotification,
  encodeRequest,
  encodeResponse,
  type Frame,
  frameToBytes,
  frameToText,
  type RawResult,
  rawResult,
} from './peer/frame.js';
export { Inbox, type InboxOptions } from './peer/inbox.js';
export {
  DEFAULT_MESSAGE_LIMITS,
  type ErrorObject,
  jsonValues,
  type Message,
  type MessageLimits,
  parseMessage,
  type RequestId,
} from './peer/message.js';
export {
  DEFAULT_PEER_LIMITS,
  type PeerLimits,
  type RequestOptions,
  RpcPeer,
  type RpcPeerOptions,
} from './peer/rpcPeer.js';
export { type Schedule, scheduleWithTimer } from './schedule.js';
export type { CloseReason, Transport } from './transport.js';
export { createLineTransport, type LineTransportOptions } from './transports/lineTransport.js';
export {
  type FaultyLinkOptions,
  faultyLink,
  type InFlightFrame,
  type Link,
  type LinkDirection,
  type ManualLink,
  manualLink,
  perfectLink,
} from './transports/links.js';
export {
  createMemoryTransportPair,
  type MemoryTransportOptions,
  type TransportPair,
} from './transports/memoryTransport.js';
export { createMessagePortTransport, type MessagePortLike } from './transports/messagePortTransport.js';
