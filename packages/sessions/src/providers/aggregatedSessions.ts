import type { Disposable, Observable } from '@agenthost/client';
import { Emitter, type Event } from '@agenthost/client/internal';
import { AmbiguousResourceError, type ProviderError, ProviderFailedError } from '../errors.js';
import { computed, observable, tracked, transaction } from '../observable.js';
import type { Session, URI } from '../session.js';
import { parseSessionId } from '../sessionId.js';
import type { SessionReplacement, SessionsChangeEvent, SessionsProvider } from './sessionsProvider.js';
import type { SessionsProvidersService } from './sessionsProvidersService.js';

interface Entry {
  readonly provider: SessionsProvider;
  readonly sessions: Map<string, Session>;
  readonly byResource: Map<URI, Session>;
  readonly hasMore: Observable<boolean> | undefined;
  readonly following: Disposable[];
}

/**
 * The sessions of all providers. Asks each provider once, then follows its events, so that one change costs one session
 * and a provider that throws takes nothing with it.
 */
export class AggregatedSessions {
  readonly #entries = new Map<string, Entry>();
  readonly #changes = new Emitter<SessionsChangeEvent>();
  readonly #replacements = new Emitter<SessionReplacement>();
  readonly #typeChanges = new Emitter<void>();
  readonly #providersChanged = observable({});
  readonly #following: Disposable;
  readonly #onError: (error: ProviderError) => void;

  readonly onDidChangeSessions: Event<SessionsChangeEvent> = this.#changes.event;
  /** Fires before `onDidChangeSessions` reports the same as a removal and an addition. */
  readonly onDidReplaceSession: Event<SessionReplacement> = this.#replacements.event;
  readonly onDidChangeSessionTypes: Event<void> = this.#typeChanges.event;

  readonly hasMore: Observable<boolean> = computed(() => {
    void this.#providersChanged.value;
    return [...this.#entries.values()].some(({ hasMore }) => hasMore?.value);
  });

  constructor(providers: SessionsProvidersService, onError: (error: ProviderError) => void) {
    this.#onError = onError;
    this.#following = providers.onDidChangeProviders(({ added, removed }) => {
      for (const provider of removed) this.#remove(provider);
      for (const provider of added) this.#add(provider);
    });
    for (const provider of providers.getProviders()) this.#add(provider);
  }

  all(): readonly Session[] {
    return [...this.#entries.values()].flatMap(({ sessions }) => [...sessions.values()]);
  }

  byId(sessionId: string): Session | undefined {
    return this.#entries.get(parseSessionId(sessionId).providerId)?.sessions.get(sessionId);
  }

  byResource(resource: URI): Session | undefined {
    const found = [...this.#entries.values()].flatMap(({ byResource }) => byResource.get(resource) ?? []);
    if (found.length > 1) {
      throw new AmbiguousResourceError(
        resource,
        found.map(({ providerId }) => providerId),
      );
    }
    return found[0];
  }

  dispose(): void {
    this.#following.dispose();
    for (const { following } of this.#entries.values()) for (const one of following) one.dispose();
    this.#entries.clear();
  }

  #add(provider: SessionsProvider): void {
    const hasMore = provider.hasMoreSessions && tracked(provider.hasMoreSessions);
    const entry: Entry = { provider, sessions: new Map(), byResource: new Map(), hasMore, following: [] };
    this.#entries.set(provider.id, entry);
    this.#providersChanged.set({});
    const follow = <T>(what: string, event: Event<T> | undefined, handle: (value: T) => void) => {
      const guarded = (value: T) => {
        if (this.#entries.get(provider.id) === entry) this.#guard(provider, what, () => handle(value));
      };
      this.#guard(provider, what, () => event && entry.following.push(event.call(provider, guarded)));
    };
    follow('onDidChangeSessions', provider.onDidChangeSessions, (event) => this.#changed(entry, event));
    follow('onDidReplaceSession', provider.onDidReplaceSession, (event) => this.#replaced(entry, event));
    follow('onDidChangeSessionTypes', provider.onDidChangeSessionTypes, () => this.#typeChanges.fire());
    this.#guard(provider, 'getSessions', () => {
      this.#changed(entry, { added: provider.getSessions(), removed: [], changed: [] });
    });
    this.#typeChanges.fire();
  }

  #remove(provider: SessionsProvider): void {
    const entry = this.#entries.get(provider.id);
    if (entry?.provider !== provider) return;
    this.#entries.delete(provider.id);
    this.#providersChanged.set({});
    for (const one of entry.following) this.#guard(provider, 'dispose', () => one.dispose());
    if (entry.sessions.size > 0) this.#changes.fire({ added: [], removed: [...entry.sessions.values()], changed: [] });
    this.#typeChanges.fire();
  }

  /** Passes an event on. An addition of a known session becomes a change, and a change of an unknown one an addition. */
  #changed(entry: Entry, event: SessionsChangeEvent): void {
    const removed = event.removed.flatMap((session) => take(entry, session.sessionId) ?? []);
    const [added, changed]: [Session[], Session[]] = [[], []];
    for (const session of [...event.added, ...event.changed]) {
      if (!this.#isOwn(entry, session)) continue;
      (put(entry, session) ? changed : added).push(session);
    }
    if (added.length + removed.length + changed.length > 0) this.#changes.fire({ added, removed, changed });
  }

  #replaced(entry: Entry, { from, to }: SessionReplacement): void {
    if (!this.#isOwn(entry, to)) return;
    const removed = take(entry, from.sessionId);
    const wasThere = put(entry, to);
    transaction(() => {
      this.#replacements.fire({ from, to });
      this.#changes.fire({
        added: wasThere ? [] : [to],
        removed: removed && from.sessionId !== to.sessionId ? [removed] : [],
        changed: wasThere ? [to] : [],
      });
    });
  }

  /** A session under another provider's id would get that one's actions. */
  #isOwn({ provider }: Entry, session: Session): boolean {
    if (session.providerId === provider.id && parseSessionId(session.sessionId).providerId === provider.id) return true;
    const error = new Error(`it announced ${session.sessionId}, which is not its own`);
    this.#onError(new ProviderFailedError(provider.id, 'onDidChangeSessions', error));
    return false;
  }

  #guard(provider: SessionsProvider, what: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#onError(new ProviderFailedError(provider.id, what, error));
    }
  }
}

function take(entry: Entry, sessionId: string): Session | undefined {
  const known = entry.sessions.get(sessionId);
  if (!known) return undefined;
  entry.sessions.delete(sessionId);
  if (entry.byResource.get(known.resource) === known) entry.byResource.delete(known.resource);
  return known;
}

/** Whether the id was known. */
function put(entry: Entry, session: Session): boolean {
  const before = take(entry, session.sessionId);
  entry.sessions.set(session.sessionId, session);
  entry.byResource.set(session.resource, session);
  return before !== undefined;
}
