/** What host and client agree on below JSON-RPC, where they are connected by a WebSocket. */

export const SUBPROTOCOL = 'agenthost';
/** Offered as well by a client that keeps the sessions' files: a whole file is one frame. */
export const FILES_SUBPROTOCOL = 'agenthost-files';
/** Followed by the token: how a page offers one, which can set no header. */
export const TOKEN_SUBPROTOCOL_PREFIX = 'agenthost-token.';

/** Close codes of the host; those of its own are in the range that RFC 6455 leaves to applications. */
export const CLOSE_CODE = {
  /** The host goes down; come back later. */
  goingAway: 1001,
  /** The token was rotated or revoked; coming back with the same one is no use. */
  unauthorized: 4401,
  /** A page with a valid token whose origin the host does not allow; the reason names the flag that allows it. */
  originRefused: 4403,
  /** Another connection took over this client's id. */
  replaced: 4402,
  /** The client did not read what it was sent. Come back and catch up. */
  tooSlow: 4408,
  /** Something that was under way could not be kept. Come back and take a snapshot. */
  resync: 4409,
} as const;
