export type { Disposable } from './disposable.js';
export {
  encodeError,
  encodeNotification,
  encodeRequest,
  encodeResponse,
  type RawResult,
  rawResult,
} from './encode.js';
export {
  ConnectionClosedError,
  type LocalErrorCode,
  LocalRpcError,
  RequestTimeoutError,
  RPC_ERROR,
  RpcError,
} from './errors.js';
export { type FaultyLinkOptions, faultyLink } from './faultyLink.js';
export { type Frame, frameToBytes, frameToText } from './frame.js';
export { LateResult, type NotificationHandler, type RequestContext, type RequestHandler } from './handler.js';
export { Inbox, type InboxOptions } from './inbox.js';
export { jsonValues } from './jsonValues.js';
export { createLineTransport, type LineTransportOptions } from './lineTransport.js';
export { type Link, type LinkDirection, perfectLink } from './link.js';
export { Listeners } from './listeners.js';
export { type InFlightFrame, type ManualLink, manualLink } from './manualLink.js';
export { createMemoryTransportPair, type MemoryTransportOptions, type TransportPair } from './memoryTransport.js';
export {
  DEFAULT_MESSAGE_LIMITS,
  type ErrorObject,
  type Message,
  type MessageLimits,
  parseMessage,
  type RequestId,
} from './message.js';
export { createMessagePortTransport, type MessagePortLike } from './messagePortTransport.js';
export { DEFAULT_PEER_LIMITS, type PeerLimits, type RpcPeerOptions } from './peerOptions.js';
export { type RequestOptions, RpcPeer } from './rpcPeer.js';
export type { CloseReason, Transport } from './transport.js';
