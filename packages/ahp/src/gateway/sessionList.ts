import type { HostClient, HostEvent } from '@agenthost/client';
import { listInStep } from '@agenthost/client/internal';
import type { SessionSummary, SessionSummaryChanges, URI } from '@agenthost/protocol';
import { LateResult } from '@agenthost/rpc';
import { patchFolders } from '../translate/downlevel.js';
import { summaryOf } from '../translate/state.js';
import { AHP_ROOT, type AhpSessionSummary } from '../types.js';
import type { VersionTraits } from '../versions.js';
import type { SessionNames } from './sessionNames.js';
import { KnownStatuses, summaryChangesOf } from './summaryChanges.js';

export interface SessionListOptions {
  readonly host: HostClient;
  readonly traits: VersionTraits;
  readonly names: SessionNames;
  readonly tell: (method: string, params: object) => void;
  /** How many more there are. */
  readonly onCount: (more: number) => void;
  readonly onRemoved: (session: URI) => void;
}

/** The host's sessions as one AHP client lists them. */
export class SessionList {
  /** Sessions that this client made and nobody has written to: the host hides them. They go with the client. */
  readonly made = new Set<URI>();
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
      return { items: items.map((item) => this.#listed(item)), ...(nextCursor !== undefined && { nextCursor }) };
    });
  }

  hostEvent(event: HostEvent): void {
    if (event.type === 'notify/sessionAdded') this.#added(event.summary);
    else if (event.type === 'notify/sessionRemoved') this.#removed(event.session);
    else if (event.type === 'notify/sessionSummaryChanged') this.#changed(event.session, event.changes);
  }

  #listed(summary: SessionSummary): AhpSessionSummary {
    const { names, traits } = this.#options;
    this.statuses.learn(summary);
    names.learn(summary.resource);
    return { ...patchFolders(summaryOf(summary), traits), resource: names.nameOf(summary.resource) };
  }

  #added(summary: SessionSummary): void {
    this.made.delete(summary.resource);
    this.#options.tell('root/sessionAdded', { channel: AHP_ROOT, summary: this.#listed(summary) });
    this.#options.onCount(1);
  }

  #changed(uri: URI, changes: SessionSummaryChanges): void {
    const status = this.statuses.change(uri, changes);
    const told = patchFolders(summaryChangesOf(changes, status), this.#options.traits);
    if (Object.keys(told).length === 0) return;
    const session = this.#options.names.nameOf(uri);
    this.#options.tell('root/sessionSummaryChanged', { channel: AHP_ROOT, session, changes: told });
  }

  #removed(uri: URI): void {
    const session = this.#options.names.nameOf(uri);
    const wasHidden = this.made.delete(uri);
    this.statuses.forget(uri);
    this.#options.onRemoved(uri);
    if (wasHidden) return;
    this.#options.tell('root/sessionRemoved', { channel: AHP_ROOT, session });
    this.#options.onCount(-1);
  }
}
