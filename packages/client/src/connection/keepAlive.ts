import type { Disposable } from '@agenthost/rpc';
import type { Connection } from './connection.js';
import type { Schedule } from './timer.js';
import { onWake } from './wakeSignals.js';

/** How long a host that is well may take for an answer to `ping`. */
const ANSWER_WITHIN_MS = 10_000;

/**
 * Asks for a sign of life from time to time, and when the network or the page comes back: a connection that died without a
 * word (a laptop that slept, a router that forgot) would else look alive until something is sent.
 */
export function keepAlive(connection: Connection, intervalMs: number, schedule: Schedule): Disposable {
  let timer: Disposable | undefined;
  let asking = false;
  const ask = async () => {
    const { peer } = connection;
    if (asking || peer === undefined) return;
    asking = true;
    try {
      await peer.request('ping', {}, { timeoutMs: ANSWER_WITHIN_MS });
    } catch {
      if (connection.peer === peer) connection.drop('the host gave no sign of life');
    } finally {
      asking = false;
    }
  };
  const next = () => {
    timer = schedule(() => {
      void ask();
      next();
    }, intervalMs);
  };
  if (intervalMs > 0) next();
  const wake = onWake(() => void ask());
  return {
    dispose: () => {
      timer?.dispose();
      wake.dispose();
    },
  };
}
