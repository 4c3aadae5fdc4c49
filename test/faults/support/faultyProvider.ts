import type { CreateSessionFsHandler, SessionFsHandler } from '@agenthost/client';
import { MemorySessionFs } from '../../../packages/host/src/storage/fs/memorySessionFs.js';
import { FaultySessionFs } from '../../../packages/host/test/storage/faultySessionFs.js';
import { memoryHandler } from '../../support/storage/memoryProvider.js';
import { startTestHost } from '../../support/testHost.js';
import type { FaultPlan } from './faultPlan.js';
import type { World } from './world.js';

const CONFIG = { initialCwd: '/tmp', sessionStatePath: '/state', conventions: 'posix' } as const;

/** Sessions in the memory of a client, which fails the n-th call that the host makes to it. */
export async function faultyProvider(plan: FaultPlan): Promise<World> {
  const files = new Map<string, MemorySessionFs>();
  const createSessionFsHandler: CreateSessionFsHandler = (session): SessionFsHandler => {
    const id = session.slice(session.indexOf('/') + 1);
    const stored = files.get(id) ?? new MemorySessionFs({ sessionStatePath: CONFIG.sessionStatePath });
    files.set(id, stored);
    return memoryHandler(new FaultySessionFs(stored, (_, call) => plan.next(call)));
  };
  return {
    createSessionFsHandler,
    async start() {
      const host = await startTestHost();
      // The first connection keeps the files; the others are as any client.
      let keeps = true;
      return {
        connect: (options) => {
          const sessionFs = keeps ? { sessionFs: CONFIG } : {};
          keeps = false;
          return host.connect({ ...options, ...sessionFs });
        },
        stop: () => host.dispose(),
      };
    },
    sessionIds: async () => {
      const ids: string[] = [];
      for (const [id, stored] of files) {
        const left = await stored.readdir(CONFIG.sessionStatePath).catch(() => []);
        if (left.length > 0) ids.push(id);
      }
      return ids.sort();
    },
    dispose: async () => {},
  };
}
