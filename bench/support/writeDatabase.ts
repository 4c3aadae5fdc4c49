// A database as hosts leave it, as far as lists and searches look, written with the host's own statements but without its sessions.
import { Database } from '../../packages/host/dist/database/database.js';
import { writeIndex } from '../../packages/host/dist/database/indexStatements.js';
import { silentLog } from '../../packages/host/dist/hostLog.js';
import { searchText } from '../../packages/host/dist/sessionIndex/searchText.js';
import { sessionId, summaryOf, turnOf } from './writeSessions.ts';

const AT_ONCE = 500;

/** The index of so many sessions with one turn each. A host has made the tables. */
export async function writeDatabase(url: string, sessions: number): Promise<void> {
  const database = await Database.open({ url, log: silentLog });
  try {
    for (let from = 0; from < sessions; from += AT_ONCE) {
      const numbers = Array.from({ length: Math.min(AT_ONCE, sessions - from) }, (_, n) => from + n);
      await database.query('insert into session (id, indexed_size) select unnest($1::text[]), 0', [
        numbers.map(sessionId),
      ]);
      await writeIndex(database, {
        sessions: numbers.map((n) => ({
          fence: { sessionId: sessionId(n), epoch: '0', claim: '0' },
          indexedSize: 0,
        })),
        summaries: numbers.map(summaryOf),
        turns: numbers.map((n) => {
          const { resource } = summaryOf(n);
          const turn = turnOf(n);
          return { resource, turnId: turn.id, text: searchText(turn) };
        }),
        erased: [],
        removed: [],
      });
    }
  } finally {
    await database.close();
  }
}
