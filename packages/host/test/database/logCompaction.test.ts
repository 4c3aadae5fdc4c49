import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { Committer } from '../../src/database/committer.js';
import { Database } from '../../src/database/database.js';
import { Generations } from '../../src/database/generations.js';
import { LogCompaction } from '../../src/database/logCompaction.js';
import { migrate } from '../../src/database/migrate.js';
import { PgSessionFs } from '../../src/database/pgSessionFs.js';
import { silentLog } from '../../src/hostLog.js';

const postgres = postgresOfFile();
const LOG = '/state/events.jsonl';

let database: Database;
beforeAll(async () => {
  database = await Database.open({ url: postgres.server.urlOf(), log: silentLog });
  await migrate(database);
});
afterAll(() => database?.close());

/** A new owner of the session. */
async function take(sessionId: string): Promise<PgSessionFs> {
  const sql = `insert into session as s (id, epoch, claim) values ($1, 1, 7)
    on conflict (id) do update set epoch = s.epoch + 1 returning epoch`;
  const [row] = await database.query<{ epoch: string }>(sql, [sessionId]);
  return PgSessionFs.open({
    database,
    committer: new Committer(database),
    generations: new Generations(database),
    fence: { sessionId, epoch: row?.epoch ?? '', claim: '7' },
    initialCwd: '/',
  });
}

async function chunksOf(sessionId: string): Promise<number> {
  const sql = 'select count(*)::int as n from chunk where gen = (select log_gen from session where id = $1)';
  const [row] = await database.query<{ n: number }>(sql, [sessionId]);
  return row?.n ?? 0;
}

/** Lines of different lengths, from a few bytes to more than a chunk. */
const line = (n: number) => `${n} ${'é'.repeat(n % 500 === 0 ? 40_000 : n % 60)}\n`;

/** Appends lines, and waits until nothing is under way. */
async function append(fs: PgSessionFs, from: number, to: number): Promise<string> {
  const lines: string[] = [];
  for (let n = from; n < to; n++) {
    lines.push(line(n));
    await fs.appendFile(LOG, line(n));
  }
  await fs.appendFile(LOG, '');
  return lines.join('');
}

describe('a log that is written in small appends', () => {
  it('has few rows, and the same bytes at every position', async () => {
    const id = randomUUID();
    const fs = await take(id);
    const written = Buffer.from(await append(fs, 0, 2_000));
    expect(await chunksOf(id)).toBeLessThan(256 + 2_000 / 50);
    expect(Buffer.compare(await fs.readFileBytes(LOG), written)).toBe(0);
    for (let at = 0; at < written.length; at += 9_973) {
      expect(Buffer.compare(await fs.readRange(LOG, at, 300), written.subarray(at, at + 300)), `at ${at}`).toBe(0);
    }
  });

  it('is read whole while its rows are joined', async () => {
    const id = randomUUID();
    const fs = await take(id);
    const before = await append(fs, 0, 250);
    const reader = fs.readLines(LOG)[Symbol.asyncIterator]();
    const read = [(await reader.next()).value];
    await append(fs, 250, 800);
    for (let next = await reader.next(); !next.done; next = await reader.next()) read.push(next.value);
    expect(read.slice(0, 250).join('\n')).toBe(before.trimEnd());
  });

  it('joins what an earlier owner left', async () => {
    const id = randomUUID();
    const written: string[] = [];
    for (let owner = 0; owner < 10; owner++) written.push(await append(await take(id), owner * 100, owner * 100 + 100));
    const last = await take(id);
    written.push(await append(last, 1_000, 1_300));
    expect(await chunksOf(id)).toBeLessThan(100);
    expect(await last.readFile(LOG)).toBe(written.join(''));
  });

  it('[FEN1] is left alone by a host that no longer has the session', async () => {
    const id = randomUUID();
    const written = await append(await take(id), 0, 200);
    const loose = await chunksOf(id);
    const [row] = await database.query<{ gen: string; epoch: string; size: string }>(
      'select log_gen as gen, epoch, log_size as size from session where id = $1',
      [id],
    );
    const fence = { sessionId: id, epoch: row?.epoch ?? '', claim: '7' };
    const [stale, current] = [{ ...fence, claim: '8' }, fence].map((one) => new LogCompaction(database, one));
    for (const compaction of [stale, current]) compaction?.isDue(row?.gen ?? '', 1);
    await stale?.join(Number(row?.size));
    expect(await chunksOf(id)).toBe(loose);
    await current?.join(Number(row?.size));
    expect(await chunksOf(id)).toBeLessThan(10);
    // Its answer was lost.
    await current?.join(Number(row?.size));
    expect(await (await take(id)).readFile(LOG)).toBe(written);
  });

  it('starts anew when it is replaced', async () => {
    const id = randomUUID();
    const fs = await take(id);
    await append(fs, 0, 200);
    await fs.writeFile(LOG, 'one\n');
    const rest = await append(fs, 0, 600);
    expect(await fs.readFile(LOG)).toBe(`one\n${rest}`);
    expect(await chunksOf(id)).toBeLessThan(300);
  });
});
