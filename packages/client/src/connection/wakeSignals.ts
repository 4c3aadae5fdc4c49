import type { Disposable } from '@agenthost/rpc';

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
