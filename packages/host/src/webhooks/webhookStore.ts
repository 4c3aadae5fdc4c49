import type { URI, Webhook } from '@agenthost/protocol';
import type * as z from 'zod';
import type { storedWebhook } from './storedWebhook.js';

export type StoredWebhook = Readonly<z.infer<typeof storedWebhook>>;

/** How far a webhook was told of a session. */
export interface Place {
  /** In the session's log; absent: from its beginning. */
  readonly cursor?: string;
  /** What has this `serverSeq`, or a lower one, was told or is not to be told. */
  readonly seq: number;
  /** The same for what ends before that byte of the log. */
  readonly bytes?: number;
}

export interface WaitingSession extends Place {
  readonly session: URI;
}

/** Which sessions of a webhook have events that it was not told of. The events themselves are in the sessions' logs. */
export interface WebhookQueue {
  /** Those of an earlier run, or of other hosts. `isThorough`: also of sessions that no host has in memory. */
  waiting(isThorough: boolean): Promise<readonly WaitingSession[]>;
  /** Stored before it returns, where nothing else would tell it after a crash. */
  begin(waiting: WaitingSession): void;
  /** Where a session stands that had nothing waiting; `undefined` where the store finds by itself what waits. */
  readonly place: Place | undefined;
  keep(waiting: WaitingSession): void | Promise<void>;
  /** Nothing waits any more. */
  end(waiting: WaitingSession): void | Promise<void>;
  close(): void;
}

/** Where the webhooks of a host, or of all hosts of a database, are kept. */
export interface WebhookStore {
  /** Other hosts change it, and deliver, too. */
  readonly isShared: boolean;
  list(): Promise<readonly StoredWebhook[]>;
  /** One change comes after the other. Returns the new list. */
  change(change: (webhooks: readonly StoredWebhook[]) => readonly StoredWebhook[]): Promise<readonly StoredWebhook[]>;
  /** `since`: what was numbered until then is not told. */
  queueOf(webhook: StoredWebhook): Promise<WebhookQueue>;
  /** What happened until now is not told. */
  startNow(webhook: StoredWebhook): Promise<void>;
  /** Whether this host delivers: one does. */
  holdsLease?(ms: number): Promise<boolean>;
  titleOf?(session: URI): Promise<string | undefined>;
}

/** What its owner sees. */
export function shownWebhook({ secret: _, space: __, since: ___, ...shown }: StoredWebhook): Webhook {
  return shown;
}
