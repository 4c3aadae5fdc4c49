import type { Turn } from '@agenthost/protocol';

/** Where an agent keeps one conversation, and how it looked then. */
export interface NativePlace {
  /** The agent's own id of the conversation, or what is known of it without reading. */
  readonly nativeId: string;
  readonly path: string;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
}

/** What a list shows of a conversation. */
export interface NativeHead {
  readonly title: string;
  /** The absolute path of the folder that it was begun in. */
  readonly folder?: string | undefined;
  /** The agent's whole id of the conversation, where the place has only a part of it. */
  readonly nativeId?: string | undefined;
  /** It isn't listed: nobody has said anything, it belongs to another conversation, or this host has begun it. */
  readonly isHidden?: boolean;
}

export interface NativeTurns {
  /** The newest ones, oldest first. */
  readonly turns: readonly Turn[];
  /** Earlier turns were not read, because there is too much of them. */
  readonly isCut: boolean;
  /** The last turn has not ended in what was read. */
  readonly isOpen: boolean;
}

export interface NativeScan {
  readonly places: readonly NativePlace[];
  /** Why some could not be read, as sentences. */
  readonly problems: readonly string[];
}

/**
 * The conversations that an agent keeps by itself, also those that were begun in a terminal.
 *
 * Contract:
 * - Nothing is written, and nothing is locked.
 * - Unknown content is left out. What can't be read at all rejects with a message for people.
 * - Everything is bounded, and no call keeps the event loop busy for long, whatever the files hold.
 */
export interface NativeStore {
  readonly provider: string;
  readonly agentName: string;
  /** The agent itself lets several programs continue one conversation. */
  readonly isSafe?: boolean;
  /** What continues it in a terminal. */
  command(nativeId: string): string;
  scan(): Promise<NativeScan>;
  head(place: NativePlace): Promise<NativeHead>;
  /** `maxBytes`: how much of the end is read. */
  turns(place: NativePlace, maxBytes?: number): Promise<NativeTurns>;
  /** The conversation as it is now. */
  find(nativeId: string): Promise<NativePlace | undefined>;
}

/** Sizes that every reader keeps to. */
export const NATIVE_LIMITS = {
  /** Conversations of one agent. */
  places: 50_000,
  folders: 20_000,
  /** Read of the end of a conversation. */
  bytes: 64 * 1024 * 1024,
  /** Read of its beginning for a list. */
  headBytes: 256 * 1024,
  tailBytes: 32 * 1024,
} as const;
