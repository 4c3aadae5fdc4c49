import type { ActionEnvelope, Author, ClientAction, Notification, Role, SessionState, URI } from '@agenthost/protocol';
import type { AcceptedEntries } from '../sessions/turn/acceptedSequences.js';

/** What a link speaks. A release speaks its own version and the one before. */
export const LINK_VERSION = 1;
export const MIN_LINK_VERSION = 1;

export const LINK_PATH = '/link';
/** Bytes of one frame: a snapshot of a session, or a piece of content. */
export const MAX_LINK_FRAME_BYTES = 64 * 1024 * 1024;

/** The client on whose behalf a host asks another. */
export interface LinkClient {
  readonly author: Author;
  readonly tokenName?: string | undefined;
  readonly protocolVersion: number;
  readonly role: Role;
}

export interface HelloParams {
  readonly hostId: string;
  readonly minVersion: number;
  readonly maxVersion: number;
}

export interface PingResult {
  /** How long ago the host has reached the database. */
  readonly beatAgeMs: number;
}

export interface FollowResult {
  readonly state: SessionState;
  readonly incarnation: string;
  readonly accepted: AcceptedEntries;
}

export interface DispatchParams {
  readonly uri: URI;
  readonly clientSeq: number;
  readonly action: ClientAction;
  readonly as: LinkClient;
}

export interface CommandParams {
  readonly method: string;
  readonly params: object;
  readonly as: LinkClient;
}

/** The fate of an action that concerns its sender alone: it was refused, or had been accepted before. */
export interface SettledParams {
  readonly uri: URI;
  readonly client: string;
  readonly envelope: ActionEnvelope;
}

export interface ViewersParams {
  readonly uri: URI;
  readonly authors: readonly Author[];
}

export interface NotifyParams {
  readonly notification: Notification;
  readonly subscribersOf?: URI | undefined;
}
