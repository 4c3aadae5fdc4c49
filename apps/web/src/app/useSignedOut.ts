import { UnauthorizedError } from '@agenthost/client';
import { NoTokenError } from './hostAccess.js';
import type { PageHost } from './pagePlace.js';
import { useObservable } from './useObservable.js';

/** `new`: this browser has no token of that host. `refused`: the host doesn't accept the one that it has. */
export function useSignedOut(host: PageHost): 'new' | 'refused' | undefined {
  const connection = useObservable(host.connection);
  if (connection.state !== 'closed' || !(connection.reason instanceof UnauthorizedError)) return undefined;
  return connection.reason instanceof NoTokenError ? 'new' : 'refused';
}
