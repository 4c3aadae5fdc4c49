import { setTimeout as delay } from 'node:timers/promises';
import type { URI } from '@agenthost/protocol';
import type { SessionHub } from '../sessions/sessionHub.js';
import type { Cluster } from './cluster.js';

export interface DrainSessionsOptions {
  readonly cluster: Pick<Cluster, 'drain' | 'hostFor'>;
  readonly hub: Pick<SessionHub, 'drain' | 'isUnused'>;
  /** A message waits there for its turn. */
  readonly openElsewhere: (uri: URI) => void;
}

/** How long a host that drains waits until others can see it. */
const MARK_MS = 2_000;
/** How often a host that drains looks whether more sessions have come to rest. */
const LOOK_MS = 100;

/**
 * Gives all sessions to other hosts, as they come to rest. Resolves when none is left, or at the signal. Without another host it waits
 * only until all are at rest.
 */
export async function drainSessions(
  { cluster, hub, openElsewhere }: DrainSessionsOptions,
  signal: AbortSignal,
): Promise<void> {
  hub.drain.begin();
  // The database may be away.
  await Promise.race([cluster.drain().catch(() => {}), delay(MARK_MS, undefined, { ref: false })]);
  while (!signal.aborted) {
    hub.drain.begin();
    const isAlone = (await cluster.hostFor('')) === undefined;
    if (isAlone ? hub.drain.isAtRest : hub.isUnused) return;
    if (!isAlone) void hub.drain.release(() => true, openElsewhere);
    await delay(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}
