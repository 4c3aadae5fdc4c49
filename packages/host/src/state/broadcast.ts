import type { Notification, SessionSummary, URI } from '@agenthost/protocol';

export interface BroadcastOptions {
  /** Only to the clients of that space; `undefined` for what is no secret between spaces. */
  readonly space: string | undefined;
  /** Only to the subscribers of that session. */
  readonly subscribersOf?: URI | undefined;
  /** Of a session that has changed: all of its summary, for clients that hear of it for the first time. */
  readonly summary?: SessionSummary | undefined;
}

/** Tells clients something that is not reduced, stored or replayed. */
export type Broadcast = (notification: Notification, options: BroadcastOptions) => void;
