import type {
  ActionEnvelope,
  AgentInfo,
  Author,
  ClientAction,
  Notification,
  Role,
  SessionState,
  URI,
} from '@agenthost/protocol';
import { DEFAULT_SPACE } from '@agenthost/protocol/internal';
import type { AcceptedEntries } from '../../sessions/turn/acceptedSequences.js';
import type { BroadcastOptions } from '../../state/broadcast.js';
import type { Lookers } from '../../state/publisher.js';

/**
 * What a link speaks. A release speaks its own version and the one before. Version 2 has routes (`link.bind`), version 3 has spaces:
 * hosts of earlier ones are told of `default` only, and what they ask for is looked for there.
 */
export const LINK_VERSION = 3;
export const SPACES_SINCE = 3;
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
  /** Since version 3. */
  readonly space?: string;
}

export interface HelloParams {
  readonly hostId: string;
  readonly minVersion: number;
  readonly maxVersion: number;
  /** As in `ListenParams`. Absent from an older host, which is told of each change with a message of its own. */
  readonly clients?: number;
}

export interface ListenParams {
  /** How many clients of the asking host listen. Without any it is told no summaries. */
  readonly clients: number;
}

export interface PingResult {
  /** How long ago the host has reached the database. */
  readonly beatAgeMs: number;
}

export interface FollowParams {
  readonly uri: URI;
  /** In which it is looked for. Since version 3. */
  readonly space?: string;
  /** The asking host has clients of it from the owner before: they stay where what was `told` explains the state. */
  readonly goesOn?: boolean;
}

export interface FollowResult {
  readonly state: SessionState;
  readonly incarnation: string;
  readonly accepted: AcceptedEntries;
  /** Absent from older hosts, which have only sessions of `default`. */
  readonly space?: string;
  /** The owner's `serverSeq` up to which the state has everything. Absent from older hosts. */
  readonly fromSeq?: number;
  /** All since the owner has opened it, if that was asked for and is known. Absent from older hosts. */
  readonly told?: readonly ActionEnvelope[] | undefined;
}

export interface MovedParams {
  readonly uri: URI;
  /** The owner gives it to another host, and all that it has told is stored. Absent from older hosts. */
  readonly isWhole?: boolean;
}

/** Clients that have connected to the other host, by their keys. */
export interface BindParams {
  readonly uri: URI;
  readonly clients: readonly string[];
}

export interface BindResult {
  /** In the order of the clients. */
  readonly routes: readonly number[];
}

export interface DispatchParams {
  readonly uri: URI;
  /** Since version 2. */
  readonly route?: number | undefined;
  readonly clientSeq: number;
  readonly action: ClientAction;
  readonly as: LinkClient;
}

export interface CommandParams {
  readonly method: string;
  readonly params: object;
  /** Missing from hosts of an earlier version. */
  readonly as?: LinkClient;
}

/** The agents of the host that sends it: after `link.hello`, and when they change. */
export interface AgentsParams {
  readonly agents: readonly AgentInfo[];
}

/** `link.release`: gives a session to another host, which asks for it. */
export interface ReleaseParams {
  readonly uri: URI;
  readonly to: string;
}

/** The fate of an action that concerns its sender alone: it was refused, or had been accepted before. */
export interface SettledParams {
  readonly uri: URI;
  readonly client: string;
  /** The one over which the action came. Absent from older hosts. */
  readonly route?: number | undefined;
  readonly envelope: ActionEnvelope;
}

/** An action that came over an older route of its client. Nobody has carried it out. */
export interface DroppedParams {
  readonly uri: URI;
  readonly client: string;
  /** As in `SettledParams`. */
  readonly route?: number | undefined;
  readonly clientSeq: number;
}

export interface ViewersParams {
  readonly uri: URI;
  readonly authors: readonly Author[];
  /** Absent from older hosts: then all of `authors` are taken to look. */
  readonly lookers?: Lookers;
}

/** Without a space from hosts of earlier versions. */
export interface NotifyParams extends Partial<BroadcastOptions> {
  readonly notification: Notification;
}

/** Who is told here. An older host has only sessions of `default`. */
export function audienceOf({ notification, space, subscribersOf, summary }: NotifyParams): BroadcastOptions {
  const isOfAll = notification.type === 'notify/storageChanged' || notification.type === 'notify/progress';
  return { space: isOfAll ? undefined : (space ?? DEFAULT_SPACE), subscribersOf, summary };
}

export interface SummariesParams {
  readonly items: readonly NotifyParams[];
}
