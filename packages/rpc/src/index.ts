export type { Disposable } from './disposable.js';
export {
  ConnectionClosedError,
  type LocalErrorCode,
  LocalRpcError,
  RequestTimeoutError,
  RPC_ERROR,
  RpcError,
} from './errors.js';
export { Listeners } from './listeners.js';
export {
  encodeError,
  encodeNotification,
  encodeRequest,
  encodeResponse,
  type RawResult,
  rawResult,
} from './peer/encode.js';
export { type Frame, frameToBytes, frameToText } from './peer/frame.js';
export { LateResult, type NotificationHandler, type RequestContext, type RequestHandler } from './peer/handler.js';
export { Inbox, type InboxOptions } from './peer/inbox.js';
export {
  DEFAULT_MESSAGE_LIMITS,
  type ErrorObject,
  type Message,
  type MessageLimits,
  parseMessage,
  type RequestId,
} from './peer/message.js';
export { DEFAULT_PEER_LIMITS, type PeerLimits, type RpcPeerOptions } from './peer/peerOptions.js';
export { type RequestOptions, RpcPeer } from './peer/rpcPeer.js';
export type { CloseReason, Transport } from './transport.js';
export { type FaultyLinkOptions, faultyLink } from './transports/faultyLink.js';
export { createLineTransport, type LineTransportOptions } from './transports/lineTransport.js';
export { type Link, type LinkDirection, perfectLink } from './transports/link.js';
export { type InFlightFrame, type ManualLink, manualLink } from './transports/manualLink.js';
export {
  createMemoryTransportPair,
  type MemoryTransportOptions,
  type TransportPair,
} from './transports/memoryTransport.js';
export { createMessagePortTransport, type MessagePortLike } from './transports/messagePortTransport.js';
