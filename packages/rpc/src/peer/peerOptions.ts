import type { LocalRpcError } from '../errors.js';
import { DEFAULT_MESSAGE_LIMITS, type MessageLimits } from './message.js';

/** The answer to an oversize frame must itself pass the other side's limit, or two peers could answer each other for ever. */
const MIN_FRAME_BYTES = 1024;

export interface PeerLimits extends MessageLimits {
  /** How long a request waits for its answer; 0: until the close. */
  readonly requestTimeoutMs: number;
  /** Requests of this side without an answer; one more rejects at once. */
  readonly maxOutgoingRequests: number;
  /** Requests of the other side whose handlers still run; one more is answered with -32000. */
  readonly maxIncomingRequests: number;
}

export interface RpcPeerOptions extends Partial<PeerLimits> {
  /** Told what has no caller to be told to: handlers that failed, frames and responses that make no sense. */
  readonly onError?: (error: LocalRpcError) => void;
}

export const DEFAULT_PEER_LIMITS: PeerLimits = {
  ...DEFAULT_MESSAGE_LIMITS,
  requestTimeoutMs: 30_000,
  maxOutgoingRequests: 1_024,
  maxIncomingRequests: 256,
};

export function peerLimits(options: RpcPeerOptions): PeerLimits {
  const {
    maxFrameBytes = DEFAULT_PEER_LIMITS.maxFrameBytes,
    maxDepth = DEFAULT_PEER_LIMITS.maxDepth,
    requestTimeoutMs = DEFAULT_PEER_LIMITS.requestTimeoutMs,
    maxOutgoingRequests = DEFAULT_PEER_LIMITS.maxOutgoingRequests,
    maxIncomingRequests = DEFAULT_PEER_LIMITS.maxIncomingRequests,
  } = options;
  atLeast('maxFrameBytes', maxFrameBytes, MIN_FRAME_BYTES);
  atLeast('maxDepth', maxDepth, 2);
  atLeast('requestTimeoutMs', requestTimeoutMs, 0);
  atLeast('maxOutgoingRequests', maxOutgoingRequests, 1);
  atLeast('maxIncomingRequests', maxIncomingRequests, 1);
  return { maxFrameBytes, maxDepth, requestTimeoutMs, maxOutgoingRequests, maxIncomingRequests };
}

// Written so that NaN, which no comparison would ever exceed, is refused too.
function atLeast(name: string, value: number, minimum: number): void {
  if (!(value >= minimum)) throw new RangeError(`${name} must be at least ${minimum}, not ${value}`);
}
