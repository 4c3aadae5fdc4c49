/**
 * Everything that is exported here is public API: `etc/rpc.api.md` lists it, and a change of it is a change of the version.
 *
 * - `RpcPeer` and its handlers, options and errors: one end of a JSON-RPC 2.0 connection.
 * - `Transport`, the transports, and `Inbox` to write another one around.
 * - `Emitter`, `Disposable` and `Schedule`, which the other packages share.
 */
export {
  ConnectionClosedError,
  type LocalErrorCode,
  LocalRpcError,
  RequestTimeoutError,
  RPC_ERROR,
  RpcError,
} from './errors.js';
export { type Disposable, Emitter, type Event } from './events.js';
export { LateResult, type NotificationHandler, type RequestContext, type RequestHandler } from './peer/dispatcher.js';
export { encodeNotification, type Frame, frameToBytes, frameToText, type RawResult, rawResult } from './peer/frame.js';
export { Inbox, type InboxOptions } from './peer/inbox.js';
export { type PeerLimits, type RequestOptions, RpcPeer, type RpcPeerOptions } from './peer/rpcPeer.js';
export type { Schedule } from './schedule.js';
export type { CloseReason, Transport } from './transport.js';
export { createLineTransport, type LineTransportOptions } from './transports/lineTransport.js';
export {
  createMemoryTransportPair,
  type Link,
  type MemoryTransportOptions,
  type TransportPair,
} from './transports/memoryTransport.js';
export { createMessagePortTransport, type MessagePortLike } from './transports/messagePortTransport.js';
