import { hostname } from 'node:os';
import type { ServerInfo } from '@agenthost/protocol';
import type { Cluster } from './cluster/cluster.js';
import { HOST_VERSION } from './version.js';

/** What a host says of itself in a handshake. */
export function serverInfo(instanceId: string, cluster: Cluster | undefined): ServerInfo {
  return {
    name: 'agenthost',
    version: HOST_VERSION,
    instanceId,
    machine: hostname(),
    ...(cluster && { cluster: cluster.id, place: cluster.place }),
  };
}
