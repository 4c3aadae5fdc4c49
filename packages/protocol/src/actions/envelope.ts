import type { Author } from '../state/common.js';
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
  /** The same for programs. Absent where an older host does not say. */
  readonly rejection?: Rejection;
  /**
   * Present when a client sent an action again that was accepted before, under this `serverSeq`. Only its sender gets the
   * envelope, and nothing has changed: whoever has a state has the action in it.
   */
  readonly repeated?: true;
}

/** Why the host refused an action. */
export interface Rejection {
  /** One of `REJECTION`, or one that is newer than this client. */
  readonly code: string;
  /** Who answered first, where another client's answer is the reason. */
  readonly by?: Author;
  /** What the code leaves open: the fields that are wrong, or the number to continue above. */
  readonly detail?: string;
}
