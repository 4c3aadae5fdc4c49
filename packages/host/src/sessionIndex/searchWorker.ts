// Searches in a separate thread: agents write the searched text, and no search may hold up the host.
// searchThread.ts starts it. It reads the index file or, if the index is in memory, keeps a copy that it is sent.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { ListSessionsParams, ListSessionsResult } from '@agenthost/protocol';
import { IndexReader } from './indexReader.js';
import type { IndexChanges } from './sessionIndex.js';
import { SqliteSessionIndex } from './sqliteSessionIndex.js';

export type SearchMessage =
  | { readonly type: 'search'; readonly id: number; readonly params: ListSessionsParams; readonly space: string }
  | { readonly type: 'changes'; readonly changes: IndexChanges };

export interface SearchAnswer {
  readonly id: number;
  readonly result?: ListSessionsResult;
  /** SQLite's code is included: it tells damage from other failures. */
  readonly error?: { readonly name: string; readonly message: string; readonly errcode?: unknown };
}

interface Searcher {
  list(params: ListSessionsParams, space: string): ListSessionsResult;
  apply(changes: IndexChanges): void;
}

const searcher = workerData.path === ':memory:' ? copyInMemory() : readerOf(String(workerData.path));

parentPort?.on('message', (message: SearchMessage) => {
  if (message.type === 'changes') searcher.apply(message.changes);
  else parentPort?.postMessage(answer(message.id, message.params, message.space));
});

function answer(id: number, params: ListSessionsParams, space: string): SearchAnswer {
  try {
    return { id, result: searcher.list(params, space) };
  } catch (error) {
    const { name, message, errcode } = error as Error & { readonly errcode?: unknown };
    return { id, error: { name, message, ...(errcode !== undefined && { errcode }) } };
  }
}

function readerOf(path: string): Searcher {
  const database = new DatabaseSync(path, { readOnly: true });
  const reader = new IndexReader(database);
  const version = database.prepare('PRAGMA data_version');
  let seen: unknown;
  return {
    list: (params, space) => {
      // It changes when the host has written.
      const now = version.get()?.['data_version'];
      if (now !== seen) reader.forget();
      seen = now;
      return reader.list(params, space);
    },
    apply: () => {},
  };
}

function copyInMemory(): Searcher {
  const index = new SqliteSessionIndex(':memory:');
  return { list: (params, space) => index.list(params, space), apply: (changes) => index.apply(changes) };
}
