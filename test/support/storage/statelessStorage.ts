import type { SessionStorage, StoredSession } from '@agenthost/host';
import { MemorySessionFs } from '../../../packages/host/src/storage/fs/memorySessionFs.js';
import { JsonlEventLog } from '../../../packages/host/src/storage/log/jsonlEventLog.js';

/** Sessions whose file system has no state path. Their log is elsewhere, in memory, so that they run and can be opened again. */
export function statelessStorage(): SessionStorage {
  const logs = new Map<string, MemorySessionFs>();
  return {
    async open(sessionId, { create = false, isDraft = false } = {}): Promise<StoredSession | undefined> {
      const found = logs.get(sessionId);
      if (!found && !create) return undefined;
      const files = found ?? new MemorySessionFs({ sessionId });
      logs.set(sessionId, files);
      const fs = new MemorySessionFs({ sessionId, sessionStatePath: null });
      return { fs, log: await JsonlEventLog.open({ fs: files, isDraft }) };
    },
    exists: async (sessionId) => logs.has(sessionId),
    remove: async (sessionId) => {
      logs.delete(sessionId);
    },
    modifiedAt: async () => undefined,
    async *list() {
      yield* logs.keys();
    },
  };
}
