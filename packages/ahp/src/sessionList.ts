import { type Host, type HostEvent, listInStep } from '@agenthost/client';
import type { SessionSummary, SessionSummaryChanges, URI } from '@agenthost/protocol';
import { LateResult } from '@agenthost/rpc';
import { patchFolders } from './downlevel.js';
import { summaryOf } from './state.js';
import { KnownStatuses, summaryChangesOf } from './summaryChanges.js';
import { AHP_ROOT, type AhpSessionSummary } from './types.js';
import type { VersionTraits } from './versions.js';

export interface SessionListOptions {
  readonly host: Host;
  readonly traits: VersionTraits;
  readonly tell: (method: string, params: object) => void;
  /** How many more there are. */
  readonly onCount: (more: number) => void;
  readonly onRemoved: (session: URI) => void;
  readonly isProvisional: (session: URI) => boolean;
  /** A session is in use: all may know of it, if they don't. */
  readonly announce: (summary: SessionSummary) => void;
}

/** The host's sessions as one AHP client lists them: without those that were only made to be thrown away. */
export class SessionList {
  /** Sessions that this client made and nobody has used yet, as the host told of them. */
  readonly made = new Map<URI, SessionSummary | undefined>();
  readonly statuses = new KnownStatuses();
  readonly #options: SessionListOptions;

  constructor(options: SessionListOptions) {
    this.#options = options;
  }

  /** One page. */
  async page(params: { readonly limit?: number; readonly cursor?: string }) {
    const take = await listInStep(this.#options.host, params);
    return new LateResult(() => {
      const { items, nextCursor } = take();
      for (const item of items) this.statuses.learn(item);
      const shown = items.filter(({ resource }) => !this.#options.isProvisional(resource));
      return { items: shown.map((item) => this.#listed(item)), ...(nextCursor !== undefined && { nextCursor }) };
    });
  }

  announced(summary: SessionSummary): void {
    this.made.delete(summary.resource);
    this.statuses.learn(summary);
    this.#options.tell('root/sessionAdded', { channel: AHP_ROOT, summary: this.#listed(summary) });
    this.#options.onCount(1);
  }

  hostEvent(event: HostEvent): void {
    if (event.type === 'notify/sessionAdded') this.#added(event.summary);
    else if (event.type === 'notify/sessionRemoved') this.#removed(event.session);
    else if (event.type === 'notify/sessionSummaryChanged') this.#changed(event.session, event.changes);
  }

  #listed(summary: SessionSummary): AhpSessionSummary {
    return patchFolders(summaryOf(summary), this.#options.traits);
  }

  #added(summary: SessionSummary): void {
    this.statuses.learn(summary);
    if (this.made.has(summary.resource)) this.made.set(summary.resource, summary);
    if (!this.#options.isProvisional(summary.resource)) this.announced(summary);
  }

  #changed(session: URI, changes: SessionSummaryChanges): void {
    const status = this.statuses.change(session, changes);
    if (this.made.has(session)) this.#madeChanged(session, changes as Partial<SessionSummary>);
    if (this.#options.isProvisional(session)) return;
    const told = patchFolders(summaryChangesOf(changes, status), this.#options.traits);
    if (Object.keys(told).length === 0) return;
    this.#options.tell('root/sessionSummaryChanged', { channel: AHP_ROOT, session, changes: told });
  }

  #removed(session: URI): void {
    this.made.delete(session);
    this.statuses.forget(session);
    this.#options.onRemoved(session);
    if (this.#options.isProvisional(session)) return;
    this.#options.tell('root/sessionRemoved', { channel: AHP_ROOT, session });
    this.#options.onCount(-1);
  }

  #madeChanged(session: URI, changes: Partial<SessionSummary>): void {
    const summary = this.made.get(session);
    if (!summary) return;
    const now = { ...summary, ...changes };
    this.made.set(session, now);
    // What is told is gathered: a short turn may be over when its beginning would be told.
    if (now.status !== 'idle' || !now.isRead || now.modifiedAt !== now.createdAt) this.#options.announce(now);
  }
}
