import type { RootAction } from './rootActions.js';
import type { SessionAction } from './sessionActions.js';

export type Action = RootAction | SessionAction;

export interface ActionOrigin {
  readonly clientId: string;
  readonly clientSeq: number;
  /** Of the device, as whoever runs the host named its token; absent for the host's own token. The host's word. */
  readonly name?: string;
}

export interface ActionEnvelope {
  readonly action: Action;
  /** One counter for the whole host; it never goes back, not even across a restart. */
  readonly serverSeq: number;
  /** Absent when the host itself produced the action. */
  readonly origin?: ActionOrigin;
  /** Present when the host refused the action; then only its sender gets the envelope, and nothing has changed. */
  readonly rejectionReason?: string;
  /**
   * Present when a client sent an action again that was accepted before, under this `serverSeq`. Only its sender gets the
   * envelope, and nothing has changed: whoever has a state has the action in it.
   */
  readonly repeated?: true;
}
