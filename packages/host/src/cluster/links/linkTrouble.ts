import { dropOldest } from '@agenthost/protocol/internal';
import type { HostLog } from '../../hostLog.js';
import type { KnownHost } from '../hostBeat.js';

/** A host that ends or starts can't be reached for a moment, which is nothing to warn of. */
const FAILURES_BEFORE_WARNING = 3;
const MAX_REMEMBERED = 1_000;

/** Warns an operator, once a host, of addresses with which hosts can't reach each other. */
export class LinkTrouble {
  readonly #log: HostLog;
  readonly #hostId: string;
  /** Failures in a row, by host. */
  readonly #failures = new Map<string, number>();
  readonly #sameUrl = new Set<string>();

  constructor(hostId: string, log: HostLog) {
    this.#hostId = hostId;
    this.#log = log;
  }

  failed({ id, machine, url }: Pick<KnownHost, 'id' | 'machine' | 'url'>, why: string): void {
    const failures = (this.#failures.get(id) ?? 0) + 1;
    this.#failures.set(id, failures);
    dropOldest(this.#failures, MAX_REMEMBERED);
    if (failures !== FAILURES_BEFORE_WARNING) return;
    const host = `the host ${id.slice(0, 8)} on ${machine}`;
    this.#log.warn(
      `${host} can't be reached at ${url} (${why}): check the --link-url or --host that it was started with`,
    );
  }

  connected(hostId: string): void {
    this.#failures.delete(hostId);
  }

  /** Looks for hosts with the address of this one: links to one of them would end at the other. */
  compare(alive: readonly Pick<KnownHost, 'id' | 'machine' | 'url'>[]): void {
    const own = alive.find(({ id }) => id === this.#hostId)?.url;
    if (!own) return;
    for (const { id, machine, url } of alive) {
      if (id === this.#hostId || url !== own || this.#sameUrl.has(id)) continue;
      this.#sameUrl.add(id);
      dropOldest(this.#sameUrl, MAX_REMEMBERED);
      const host = `the host ${id.slice(0, 8)} on ${machine}`;
      this.#log.warn(`${host} has the same address as this one, ${own}: give each host its own with --link-url`);
    }
  }
}
