import type { SocketRoute } from '../../server/socketRoute.js';
import type { Cluster } from '../cluster.js';
import { LINK_PATH } from './linkMessages.js';
import type { Links } from './links.js';

/** Bytes that may wait for another host; more, and the link is cut. */
const MAX_BUFFERED_BYTES = 32 * 1024 * 1024;

/** Where other hosts on the same database connect. */
export function linkRoute(cluster: Cluster, links: Links): SocketRoute {
  return {
    path: LINK_PATH,
    admitsFiles: true,
    maxBufferedBytes: MAX_BUFFERED_BYTES,
    identify: (headers) => {
      const hostId = cluster.identifyLink(headers);
      return hostId === undefined ? undefined : { id: `host ${hostId}`, name: `host ${hostId}`, role: 'owner' };
    },
    onConnection: (transport, { id }) => links.accept(transport, id),
  };
}
