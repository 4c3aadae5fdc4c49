import type { SessionSummary, SessionSummaryChanges, URI } from '@agenthost/protocol';
import { dropOldest } from '@agenthost/protocol';
import { changeCountsOf, foldersOf, statusOf } from '../translate/state.js';
import { isoTime } from '../translate/turns.js';

type Flags = Pick<SessionSummary, 'status' | 'isRead' | 'isArchived'>;

/** As many as a client can have listed by eye; of others, changes of the status are not told. */
const MAX_KNOWN = 10_000;

/** AHP has one number for what are three fields of ours, of which a notification tells only those that changed. */
export class KnownStatuses {
  readonly #flags = new Map<URI, Flags>();

  learn({ resource, status, isRead, isArchived }: Pick<SessionSummary, 'resource' | keyof Flags>): void {
    this.#flags.delete(resource);
    this.#flags.set(resource, { status, isRead, isArchived });
    dropOldest(this.#flags, MAX_KNOWN);
  }

  forget(resource: URI): void {
    this.#flags.delete(resource);
  }

  /** The number after the change, where it changed and is known. */
  change(resource: URI, changes: Partial<Flags>): number | undefined {
    const { status, isRead, isArchived } = changes;
    if (status === undefined && isRead === undefined && isArchived === undefined) return undefined;
    const known = this.#flags.get(resource);
    if (!known) return undefined;
    const now = {
      status: status ?? known.status,
      isRead: isRead ?? known.isRead,
      isArchived: isArchived ?? known.isArchived,
    };
    this.learn({ resource, ...now });
    return statusOf(now);
  }
}

/** What went away becomes empty: a field that is not there means that it did not change. */
export function summaryChangesOf(changes: SessionSummaryChanges, status: number | undefined): Record<string, unknown> {
  const { title, modifiedAt, activity, workingDirectory, metadata, changes: files } = changes;
  return {
    ...(title !== undefined && { title }),
    ...(modifiedAt !== undefined && { modifiedAt: isoTime(modifiedAt) }),
    ...(status !== undefined && { status }),
    ...(activity !== undefined && { activity: activity ?? '' }),
    ...(workingDirectory !== undefined && foldersOf(workingDirectory ?? undefined)),
    ...(metadata !== undefined && { _meta: metadata ?? {} }),
    ...(files !== undefined && { changes: changeCountsOf(files ?? []) }),
  };
}
