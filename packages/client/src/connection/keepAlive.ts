import type { Disposable, Schedule } from '@agenthost/rpc';
import type { Connection } from './connection.js';

/** How long a healthy host may take to answer `ping`. */
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

/** Calls when a connection is worth another look at once: the network is back, or the page is looked at again. */
export function onWake(listener: () => void): Disposable {
  const scope: Partial<Pick<typeof globalThis, 'addEventListener' | 'removeEventListener'>> = globalThis;
  const page = typeof document === 'undefined' ? undefined : document;
  const onVisibility = () => {
    if (page?.visibilityState === 'visible') listener();
  };
  scope.addEventListener?.('online', listener);
  page?.addEventListener('visibilitychange', onVisibility);
  return {
    dispose: () => {
      scope.removeEventListener?.('online', listener);
      page?.removeEventListener('visibilitychange', onVisibility);
    },
  };
}
