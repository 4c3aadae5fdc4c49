import { setTimeout as delay } from 'node:timers/promises';
import { type ListSessionsResult, parseSessionUri, type SessionSummary, type URI } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import type { HostLog } from '../hostLog.js';
import type { Broadcast } from '../state/broadcast.js';
import type { Cluster } from './cluster.js';

export interface AwayPlacesOptions {
  readonly cluster: Pick<Cluster, 'livePlaces' | 'placesOf' | 'newestOf'>;
  /** To the clients of this host: each host tells its own. */
  readonly broadcast: Broadcast;
  readonly log: HostLog;
}

/** How many sessions all clients are told of before a pause. */
const TOLD_AT_ONCE = 20;
const PAUSE_MS = 50;
/** Longer than it takes until the index has what a host tells. */
const SETTLED_MS = 1_000;
const NONE: ReadonlyMap<string, string> = new Map();

/**
 * Marks sessions in lists whose machines are all away (`metadata.away`). What is stored with a session says so only as long as a host
 * of another place has it open; the others are marked by who is alive now.
 */
export class AwayPlaces {
  readonly #options: AwayPlacesOptions;
  #live: ReadonlySet<string>;

  constructor(options: AwayPlacesOptions) {
    this.#options = options;
    this.#live = options.cluster.livePlaces;
  }

  /** After each look at the other hosts. */
  polled(): void {
    const { cluster, log } = this.#options;
    const [before, now] = [this.#live, cluster.livePlaces];
    this.#live = now;
    for (const place of new Set([...before, ...now])) {
      if (before.has(place) === now.has(place)) continue;
      this.#tell(place).catch((error: unknown) =>
        log.debug(`clients were not told that ${place} is ${now.has(place) ? 'back' : 'away'}: ${errorMessage(error)}`),
      );
    }
  }

  async mark(page: ListSessionsResult): Promise<ListSessionsResult> {
    // A client may have given a session the name of a place that is none: only the database knows.
    const idOf = ({ resource }: SessionSummary) => parseSessionUri(resource)?.sessionId ?? '';
    const doubtful = page.items.filter((item) => !isAway(item) && !this.#isLive(item));
    const places = doubtful.length === 0 ? NONE : await this.#placesOf(doubtful.map(idOf));
    const gone = doubtful.filter((item) => {
      const place = places.get(idOf(item)) ?? '';
      return place !== '' && !this.#live.has(place);
    });
    const uris = new Set(gone.map(({ resource }) => resource));
    return { ...page, items: page.items.map((item) => this.#current(item, uris)) };
  }

  /** The marks of a page that was read before, on newer summaries of the same sessions. */
  keepMarks(newest: ListSessionsResult, marked: ListSessionsResult): ListSessionsResult {
    const gone = new Set(marked.items.filter(isAway).map(({ resource }) => resource));
    return { ...newest, items: newest.items.map((item) => this.#current(item, gone)) };
  }

  /** A list without marks is better than none. */
  #placesOf(sessionIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.#options.cluster.placesOf(sessionIds).catch(() => NONE);
  }

  #current(item: SessionSummary, gone: ReadonlySet<URI>): SessionSummary {
    const away = isAway(item) ? !this.#isLive(item) : gone.has(item.resource);
    return away === isAway(item) ? item : { ...item, metadata: metadataOf(item, away) };
  }

  #isLive({ metadata }: SessionSummary): boolean {
    const place = metadata?.['remoteAgentHost'];
    return typeof place !== 'string' || this.#live.has(place);
  }

  /** Twice: what a host had just told of a session may not be in the database yet, and must not stay replaced by what was. */
  async #tell(place: string): Promise<void> {
    const { cluster, broadcast } = this.#options;
    const away = !this.#live.has(place);
    const told = new Map<URI, string>();
    let count = 0;
    for (const pause of [0, SETTLED_MS]) {
      await delay(pause, undefined, { ref: false });
      for (const { summary: item, space } of await cluster.newestOf(place)) {
        const metadata = metadataOf(item, away);
        const text = JSON.stringify(metadata);
        if (told.get(item.resource) === text) continue;
        told.set(item.resource, text);
        // Each goes to all clients: other work comes in between.
        if (++count % TOLD_AT_ONCE === 0) await delay(PAUSE_MS, undefined, { ref: false });
        // It has changed again, and that is told.
        if (this.#live.has(place) === away) return;
        const changed = {
          type: 'notify/sessionSummaryChanged',
          session: item.resource,
          changes: { metadata },
        } as const;
        broadcast(changed, { space, summary: { ...item, metadata } });
      }
    }
  }
}

function isAway({ metadata }: SessionSummary): boolean {
  return metadata?.['away'] === true;
}

function metadataOf({ metadata }: SessionSummary, away: boolean): NonNullable<SessionSummary['metadata']> {
  const { away: _, ...rest } = metadata ?? {};
  return away ? { ...rest, away } : rest;
}
