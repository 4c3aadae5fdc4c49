/** WebSocket close codes of the host, in the range that RFC 6455 leaves to applications. */
export const CLOSE_CODE = {
  /** The host goes down; come back later. */
  goingAway: 1001,
  /** The token was rotated or revoked; coming back with the same one is no use. */
  unauthorized: 4401,
  /** Another connection took over this client's id. */
  replaced: 4402,
  /** The client did not read what it was sent. Come back and catch up. */
  tooSlow: 4408,
  /** Something that was under way could not be kept. Come back and take a snapshot. */
  resync: 4409,
  /** Too many connections, or too much on one. */
  overLimit: 4429,
} as const;
