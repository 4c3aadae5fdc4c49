import type { Cleanups } from '../../../../../test/support/cleanups.js';
import { RawClient } from '../../../../../test/support/rawClient.js';
import { type HostProcess, spawnHost } from '../../../../../test/support/testHost.js';

/** Hosts on a database in processes of their own, with a lease of two seconds, and their clients. All of them end with the test. */
export function hostProcesses(cleanups: Cleanups) {
  return {
    async start(database: string, ...args: string[]): Promise<HostProcess> {
      const stateDir = await cleanups.folder();
      const flags = ['--state-dir', stateDir, '--database', database, '--lease', '2', ...args];
      const host = await spawnHost(stateDir, flags);
      cleanups.push(() => host.kill('SIGKILL'));
      return host;
    },
    async client(host: HostProcess, name: string): Promise<RawClient> {
      const raw = await RawClient.open(host);
      cleanups.push(() => raw.end());
      await raw.request('initialize', { protocolVersion: 1, clientId: name, clientInfo: { name } });
      return raw;
    },
  };
}
