import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as immediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteSessionIndex } from '../../src/sessionIndex/sqliteSessionIndex.js';
import { summary, turn } from './indexSamples.js';

const TURNS = 1_000;

describe('the texts of a removed session', () => {
  let folder: string;
  let index: SqliteSessionIndex;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agenthost-test-'));
    index = new SqliteSessionIndex(join(folder, 'index.sqlite'));
    index.markFilled();
    for (const id of ['large', 'other']) {
      index.put(summary(id, { title: `the title of ${id}` }));
      for (let n = 0; n < (id === 'large' ? TURNS : 3); n++) {
        index.putTurn(`mock:/${id}`, turn(`t${n}`, `needle ${n} ${'hay stack '.repeat(200)}`));
      }
    }
    index.flush();
  });
  afterEach(async () => {
    index.close();
    await rm(folder, { recursive: true, force: true });
  });

  const found = async () => (await index.search({ filter: { text: 'needle' } })).items.map(({ resource }) => resource);

  it('are erased completely, in pieces that let other work run', async () => {
    expect((await found()).sort()).toEqual(['mock:/large', 'mock:/other']);
    let served = 0;
    let isDone = false;
    const serve = async () => {
      for (; !isDone; served++) await immediate();
    };
    const serving = serve();
    await index.eraseTexts('mock:/large');
    isDone = true;
    await serving;
    // Not in one piece: that would be once or twice.
    expect(served).toBeGreaterThan(3);
    expect(await found()).toEqual(['mock:/other']);
    index.remove('mock:/large');
    const database = new DatabaseSync(join(folder, 'index.sqlite'), { readOnly: true });
    const count = (table: string) => database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'];
    expect([count('sessions'), count('turns'), count('search')]).toEqual([1, 3, 4]);
    database.close();
  });

  it('are nothing for an unknown session', async () => {
    await index.eraseTexts('mock:/nobody');
    expect((await found()).length).toBe(2);
  });
});
