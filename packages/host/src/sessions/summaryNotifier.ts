import type { SessionSummary, SessionSummaryChanges, URI } from '@agenthost/protocol';
import { sameValue } from '@agenthost/protocol/internal';
import type { Broadcast } from '../state/broadcast.js';
import { SUMMARY_RATES } from './sessionLimits.js';

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

type Key = (typeof KEYS)[number];

interface Followed {
  readonly space: string;
  latest: SessionSummary;
  /** Fields that changed since the last notification, also if they have their old value again. */
  readonly touched: Set<Key>;
  /** Set while another notification would be too soon. */
  timer?: NodeJS.Timeout | undefined;
}

/**
 * Notifies clients of changes in a session's summary: at once, then gathered, at most some times a second, and less often the more
 * clients listen. A field that changed and changed back is included: a client may have listed the session, or subscribed to it, in
 * between.
 */
export class SummaryNotifier {
  readonly #broadcast: Broadcast;
  readonly #listeners: () => number;
  readonly #followed = new Map<URI, Followed>();
  /** Sessions that clients are not told of before their first message (rules PROV1 and PROV2). */
  readonly provisional = new Set<URI>();

  /** `listeners`: how many clients are told, of all hosts. */
  constructor(broadcast: Broadcast, listeners: () => number = () => 0) {
    this.#broadcast = broadcast;
    this.#listeners = listeners;
  }

  /** The summary of a session that was just created or loaded. Later changes are relative to it. */
  know(summary: SessionSummary, space: string): void {
    this.#followed.set(summary.resource, { space, latest: summary, touched: new Set() });
  }

  /** Tells all clients of its space of a session that they don't know. */
  added(summary: SessionSummary, space: string): void {
    this.know(summary, space);
    this.#broadcast({ type: 'notify/sessionAdded', summary }, { space });
  }

  changed(summary: SessionSummary): void {
    const { resource } = summary;
    const followed = this.#followed.get(resource);
    if (!followed) return;
    for (const key of KEYS) if (!sameValue(followed.latest[key], summary[key])) followed.touched.add(key);
    followed.latest = summary;
    if (!followed.timer) this.#tell(resource, followed);
  }

  /** The session was removed. */
  forget(resource: URI): void {
    clearTimeout(this.#followed.get(resource)?.timer);
    this.#followed.delete(resource);
  }

  /** The session is unloaded: gathered changes are sent now. */
  release(resource: URI): void {
    const followed = this.#followed.get(resource);
    if (followed) this.#tell(resource, followed);
    this.forget(resource);
  }

  dispose(): void {
    for (const resource of [...this.#followed.keys()]) this.release(resource);
  }

  #tell(resource: URI, followed: Followed): void {
    clearTimeout(followed.timer);
    followed.timer = undefined;
    if (followed.touched.size === 0) return;
    const { space, latest, touched } = followed;
    const changes: SessionSummaryChanges = Object.fromEntries(
      KEYS.filter((key) => touched.has(key)).map((key) => [key, latest[key] ?? null]),
    );
    touched.clear();
    this.#broadcast({ type: 'notify/sessionSummaryChanged', session: resource, changes }, { space, summary: latest });
    followed.timer = setTimeout(() => this.#tell(resource, followed), 1000 / perSecond(this.#listeners()));
    followed.timer.unref();
  }
}

function perSecond(listeners: number): number {
  return SUMMARY_RATES.find(({ below }) => listeners < below)?.perSecond ?? 1;
}
