import {
  type Notification,
  type SessionSummary,
  type SessionSummaryChanges,
  sameValue,
  type URI,
} from '@agenthost/protocol';
import { SUMMARY_NOTIFICATIONS_PER_SECOND } from './sessionLimits.js';

const KEYS = [
  'title',
  'modifiedAt',
  'status',
  'isRead',
  'isArchived',
  'activity',
  'model',
  'mode',
  'workingDirectory',
  'metadata',
  'changes',
  'lastTurnEndedAt',
  'isCreating',
] as const satisfies readonly (keyof SessionSummaryChanges)[];

/** Tells everybody what changed in a session's summary: at once, and then gathered, at most some times a second. */
export class SummaryNotifier {
  readonly #broadcast: (notification: Notification) => void;
  readonly #told = new Map<URI, SessionSummary>();
  readonly #waiting = new Map<URI, { timer: NodeJS.Timeout; latest: SessionSummary | undefined }>();

  constructor(broadcast: (notification: Notification) => void) {
    this.#broadcast = broadcast;
  }

  /** What everybody knows already: the session was just announced or loaded. */
  know(summary: SessionSummary): void {
    this.#told.set(summary.resource, summary);
  }

  changed(summary: SessionSummary): void {
    const { resource } = summary;
    const waiting = this.#waiting.get(resource);
    if (waiting) waiting.latest = summary;
    else this.#tell(summary);
  }

  /** The session is gone: there is nothing to tell any more. */
  forget(resource: URI): void {
    clearTimeout(this.#waiting.get(resource)?.timer);
    this.#waiting.delete(resource);
    this.#told.delete(resource);
  }

  /** The session leaves the memory: what waits is told now, and nothing is kept. */
  release(resource: URI): void {
    const latest = this.#waiting.get(resource)?.latest;
    clearTimeout(this.#waiting.get(resource)?.timer);
    this.#waiting.delete(resource);
    if (latest) this.#tell(latest);
    this.forget(resource);
  }

  dispose(): void {
    for (const resource of [...this.#told.keys()]) this.release(resource);
  }

  #tell(summary: SessionSummary): void {
    const { resource } = summary;
    const changes = difference(this.#told.get(resource), summary);
    this.#told.set(resource, summary);
    if (Object.keys(changes).length === 0) return;
    this.#broadcast({ type: 'notify/sessionSummaryChanged', session: resource, changes });
    const timer = setTimeout(() => {
      const latest = this.#waiting.get(resource)?.latest;
      this.#waiting.delete(resource);
      if (latest) this.#tell(latest);
    }, 1000 / SUMMARY_NOTIFICATIONS_PER_SECOND);
    timer.unref();
    this.#waiting.set(resource, { timer, latest: undefined });
  }
}

function difference(before: SessionSummary | undefined, after: SessionSummary): SessionSummaryChanges {
  const changes: Record<string, unknown> = {};
  for (const key of KEYS) if (!sameValue(before?.[key], after[key])) changes[key] = after[key] ?? null;
  return changes;
}
