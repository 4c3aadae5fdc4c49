import type { SessionSummary, SessionSummaryChanges } from '@agenthost/protocol';
import { withSummaryChanges } from '@agenthost/protocol/internal';
import type { SessionsChangeEvent } from '../providers/sessionsProvider.js';
import type { Session, URI } from '../session.js';
import { groupKeyOf, type HostChat, type HostIdentity, HostSessionGroup } from './hostSessionGroup.js';

/** Collects what happened to groups, for one event. */
export class CatalogueChanges {
  readonly #before = new Map<HostSessionGroup, boolean>();

  touch(group: HostSessionGroup, wasListed: boolean): void {
    if (!this.#before.has(group)) this.#before.set(group, wasListed);
  }

  event(isListed: (group: HostSessionGroup) => boolean): SessionsChangeEvent | undefined {
    const [added, removed, changed]: Session[][] = [[], [], []];
    for (const [group, wasListed] of this.#before) {
      const list = isListed(group) ? (wasListed ? changed : added) : wasListed ? removed : undefined;
      list?.push(group.session);
    }
    if (!added || !removed || !changed) return undefined;
    return added.length + removed.length + changed.length > 0 ? { added, removed, changed } : undefined;
  }
}

/** The sessions of a host that are known here, by their summaries, in groups. */
export class SessionCatalogue {
  readonly #identity: HostIdentity;
  readonly #tell: (event: SessionsChangeEvent) => void;
  readonly #groups = new Map<string, HostSessionGroup>();
  readonly #groupOf = new Map<URI, HostSessionGroup>();
  /** Being made: not shown before `release`, so that they can take another session's place in one step. */
  readonly #held = new Set<URI>();

  constructor(identity: HostIdentity, tell: (event: SessionsChangeEvent) => void) {
    this.#identity = identity;
    this.#tell = tell;
  }

  sessions(): readonly Session[] {
    return [...this.#groups.values()].map(({ session }) => session);
  }

  group(key: string): HostSessionGroup | undefined {
    return this.#groups.get(key);
  }

  chat(uri: URI): HostChat | undefined {
    return this.#groupOf.get(uri)?.find(uri);
  }

  summary(uri: URI): SessionSummary | undefined {
    return this.chat(uri)?.summary;
  }

  /** URIs of all chats. */
  uris(): readonly URI[] {
    return [...this.#groupOf.keys()];
  }

  /** Summaries, the newest changes first. */
  newest(): readonly SessionSummary[] {
    const all = [...this.#groups.values()].flatMap(({ chats }) => chats.map(({ summary }) => summary));
    return all.sort((a, b) => b.modifiedAt - a.modifiedAt);
  }

  hold(uri: URI): void {
    this.#held.add(uri);
  }

  unhold(uri: URI): void {
    this.#held.delete(uri);
  }

  put(summaries: readonly SessionSummary[]): void {
    this.#change((changes) => {
      for (const summary of summaries) if (!this.#held.has(summary.resource)) this.#put(summary, changes);
    });
  }

  /** Like `put`, but without an event: the caller fires one. */
  putQuietly(summary: SessionSummary): HostSessionGroup {
    return this.#put(summary, new CatalogueChanges());
  }

  /** `false` when there is no such session here. */
  update(uri: URI, change: SessionSummaryChanges): boolean {
    const summary = this.summary(uri);
    if (summary) this.put([withSummaryChanges(summary, change)]);
    return summary !== undefined || this.#held.has(uri);
  }

  remove(uris: Iterable<URI>): void {
    this.#change((changes) => {
      for (const uri of uris) this.#remove(uri, changes);
    });
  }

  #change(run: (changes: CatalogueChanges) => void): void {
    const changes = new CatalogueChanges();
    run(changes);
    const event = changes.event((group) => this.#groups.get(group.key) === group);
    if (event) this.#tell(event);
  }

  #put(summary: SessionSummary, changes: CatalogueChanges): HostSessionGroup {
    const { resource } = summary;
    const key = groupKeyOf(summary);
    if (this.#groupOf.has(resource) && this.#groupOf.get(resource)?.key !== key) this.#remove(resource, changes);
    const known = this.#groups.get(key);
    const group = known ?? new HostSessionGroup(key, summary, this.#identity);
    changes.touch(group, known !== undefined);
    if (known) known.put(summary);
    this.#groups.set(key, group);
    this.#groupOf.set(resource, group);
    return group;
  }

  #remove(uri: URI, changes: CatalogueChanges): void {
    const group = this.#groupOf.get(uri);
    if (!group) return;
    this.#groupOf.delete(uri);
    changes.touch(group, true);
    if (group.remove(uri) === 0) this.#groups.delete(group.key);
  }
}
