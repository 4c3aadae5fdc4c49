import { parseSessionUri } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import type { HostLog } from '../hostLog.js';
import type { SessionHub } from '../sessions/sessionHub.js';
import { SessionFsFailure } from '../storage/fs/sessionFs.js';
import type { SessionStorage } from '../storage/sessionStorage.js';
import type { Cluster } from './cluster.js';
import type { Links } from './links/links.js';

export interface LostSessionsOptions {
  readonly cluster: Cluster;
  readonly hub: SessionHub;
  readonly storage: Pick<SessionStorage, 'findTaken' | 'giveUpWaiting'>;
  readonly links: Pick<Links, 'beatAges'>;
  readonly log: HostLog;
}

/** Together less than a dead host's agents may take to end: another host may start some after that (FEN7). */
const LOOK_MS = 500;
const ANSWER_MS = 2_500;

/** Gives up sessions that other hosts have taken, or may have, where no write would show it. */
export class LostSessions {
  readonly #options: LostSessionsOptions;
  readonly #timer: NodeJS.Timeout;
  #isAsking = false;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(options: LostSessionsOptions) {
    this.#options = options;
    const { cluster } = options;
    cluster.onPolled(() => void this.#loseTaken());
    this.#timer = setInterval(() => void this.#stepDown(), Math.min(cluster.leaseMs / 4, LOOK_MS)).unref();
  }

  dispose(): void {
    clearInterval(this.#timer);
  }

  /** A host that slept has lost sessions although it wrote nothing since: those who look on here would see an old state for good. */
  async #loseTaken(): Promise<void> {
    const { hub, storage, log } = this.#options;
    try {
      const taken = await storage.findTaken?.();
      if (!taken || taken.size === 0) return;
      const error = new SessionFsFailure('FENCED', 'another host has taken the session');
      hub.storageLost(error, (uri) => taken.has(parseSessionUri(uri)?.sessionId ?? ''));
    } catch (error) {
      log.debug(`whether other hosts have taken sessions is not known: ${errorMessage(error)}`);
    }
  }

  /**
   * A host that has not reached the database for a lease asks the others. Where one of them does reach it, or several are there and
   * none answers, this one alone is cut off: its sessions are elsewhere by now. Where they don't reach it either, the database is
   * gone, and nobody is interrupted (FEN6).
   */
  async #stepDown(): Promise<void> {
    const { cluster, hub, storage, links, log } = this.#options;
    const hasAsked = performance.now() - this.#askedAt < cluster.leaseMs / 4;
    if (cluster.isSure || this.#isAsking || hasAsked || hub.isUnused) return;
    this.#isAsking = true;
    try {
      const ages = await links.beatAges(ANSWER_MS);
      if (cluster.isSure) return;
      const answers = ages.filter((age) => age !== undefined);
      // Less than a lease is not enough: when the database goes away, some have reached it a little later than others.
      const isElsewhere = answers.some((age) => age < cluster.leaseMs / 2);
      const isAlone = ages.length > 1 && answers.length === 0;
      cluster.judge(isElsewhere || isAlone ? 'cutOff' : 'gone');
      if (!isElsewhere && !isAlone) return;
      log.warn('this host is cut off from the database: its sessions go on at other hosts');
      hub.storageLost(new SessionFsFailure('UNDECIDED', 'this host is cut off from the database'));
      // All that clients get waits behind it, also of sessions that other hosts have.
      storage.giveUpWaiting?.();
    } finally {
      this.#isAsking = false;
      this.#askedAt = performance.now();
    }
  }
}
