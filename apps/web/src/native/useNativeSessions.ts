import type { ListNativeSessionsResult } from '@agenthost/protocol';
import { useEffect, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { permissionError } from '../app/permissionError.js';
import { useObservable } from '../app/useObservable.js';

/** How often an open group is read again: a conversation goes on in its terminal. */
const AGAIN_MS = 10_000;

/** What was begun in terminals of a host: the newest ones, for owners. Read again while the group is open. */
export function useNativeSessions(
  host: PageHost,
  limit: number,
  isOpen: boolean,
): ListNativeSessionsResult | undefined {
  const role = useObservable(host.role);
  const { state } = useObservable(host.connection);
  const [found, setFound] = useState<ListNativeSessionsResult>();
  const mayList = permissionError(role, 'listNativeSessions') === undefined && state === 'connected';
  useEffect(() => {
    if (!mayList) return;
    let isGone = false;
    const read = () => {
      if (document.visibilityState === 'hidden') return;
      // A host without them, or of an earlier version, has none.
      host.native.list({ limit }).then(
        (next) => !isGone && setFound(next),
        () => {},
      );
    };
    read();
    const timer = isOpen ? setInterval(read, AGAIN_MS) : undefined;
    return () => {
      isGone = true;
      clearInterval(timer);
    };
  }, [host, mayList, limit, isOpen]);
  return permissionError(role, 'listNativeSessions') === undefined ? found : undefined;
}
