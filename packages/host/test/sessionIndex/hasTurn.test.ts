import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lastText } from '../../src/sessionIndex/indexSchema.js';
import { SqliteSessionIndex } from '../../src/sessionIndex/sqliteSessionIndex.js';
import { summary, turn } from './indexSamples.js';

const A = 'mock:/a';

describe('whether a session has had a turn', () => {
  let folder: string;
  let path: string;
  let replaced: number;
  let index: SqliteSessionIndex;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agenthost-test-'));
    path = join(folder, 'index.sqlite');
    replaced = 0;
    index = new SqliteSessionIndex(path, { onReplaced: () => replaced++ });
    index.markFilled();
  });
  afterEach(async () => {
    index.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('is known before and after it is written, per session', () => {
    expect(index.hasTurn(A, 't1')).toBeUndefined();
    index.put(summary('a'));
    index.put(summary('b'));
    index.flush();
    index.putTurn(A, turn('t1', ''));
    const known = () => [index.hasTurn(A, 't1'), index.hasTurn(A, 't2'), index.hasTurn('mock:/b', 't1')];
    expect(known()).toEqual([true, false, false]);
    index.flush();
    expect(known()).toEqual([true, false, false]);
    index.remove(A);
    expect(known()).toEqual([undefined, undefined, false]);
  });

  it('is false again for a turn that was removed', () => {
    index.put(summary('a'));
    for (const id of ['t1', 't2', 't3']) index.putTurn(A, turn(id, 'words'));
    index.forgetTurn(A, 't3');
    index.flush();
    index.forgetTurn(A, 't2');
    expect(['t1', 't2', 't3'].map((id) => index.hasTurn(A, id))).toEqual([true, false, false]);
    index.flush();
    expect(['t1', 't2', 't3'].map((id) => index.hasTurn(A, id))).toEqual([true, false, false]);
    index.putTurn(A, turn('t2', 'other words'));
    expect(index.hasTurn(A, 't2')).toBe(true);
    expect(index.list({ filter: { text: 'other' } }).total).toBe(1);
  });

  it('is unknown for a session that is being read, or could not be', () => {
    index.put(summary('a'));
    const release = index.hold(A);
    index.putTurn(A, turn('t1', 'words'));
    index.flush();
    expect([index.hasTurn(A, 't1'), index.hasTurn(A, 't2'), index.isComplete(A)]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    release({ isWhole: false });
    index.flush();
    expect([index.hasTurn(A, 't2'), index.isComplete(A), index.unsettled()]).toEqual([undefined, false, [A]]);
    index.hold(A)({ isWhole: true });
    index.flush();
    expect([index.hasTurn(A, 't2'), index.isComplete(A), index.unsettled()]).toEqual([false, true, []]);
    index.markIncomplete(A);
    expect([index.hasTurn(A, 't1'), index.isComplete(A)]).toEqual([undefined, false]);
  });

  it('is unknown after the index was damaged, until the session was read again', async () => {
    index.put(summary('a'));
    for (let n = 0; n < 500; n++) index.putTurn(A, turn(`t${n}`, 'words '.repeat(50)));
    index.flush();
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE poke (x); PRAGMA wal_checkpoint(TRUNCATE)');
    other.close();
    const { size } = await stat(path);
    const file = await open(path, 'r+');
    await file.write(Buffer.alloc(size - 4_096, 0xa5), 0, size - 4_096, 4_096);
    await file.close();
    index.put(summary('a', { title: 'Changed meanwhile' }));
    index.flush();
    expect(replaced).toBe(1);
    // The first write failed; what waited is in the new one.
    index.put(summary('a', { title: 'And again' }));
    index.flush();
    expect(index.list({}).total).toBe(1);
    expect([index.isComplete(A), index.hasTurn(A, 't0')]).toEqual([false, undefined]);
    const release = index.hold(A);
    for (let n = 0; n < 500; n++) index.putTurn(A, turn(`t${n}`, 'words'));
    release({ isWhole: true });
    expect([index.isComplete(A), index.hasTurn(A, 't0'), index.hasTurn(A, 'x')]).toEqual([true, true, false]);
  });

  it('is unknown for a session with more turns than numbers', () => {
    index.put(summary('a'));
    index.putTurn(A, turn('t1', 'words'));
    index.flush();
    const other = new DatabaseSync(path);
    other.exec(`INSERT INTO turns SELECT ${lastText('id')}, id, 'last' FROM sessions`);
    other.close();
    index.putTurn(A, turn('one too many', 'words'));
    index.flush();
    expect(['t1', 'last', 'one too many'].map((id) => index.hasTurn(A, id))).toEqual([true, true, undefined]);
  });
});
