import { describe, expect, it } from 'vitest';
import { readTurnsByFold } from '../../../src/sessions/history/readTurns.js';
import type { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';
import type { DamageReport } from '../../../src/storage/log/eventLog.js';
import {
  at,
  bytesOf,
  comparable,
  copyOf,
  foldOf,
  HistoryWorld,
  NAMES,
  type OpenedSession,
  openHistory,
  playTurn,
  RangedMemoryFs,
  SESSION,
  upTo,
} from './historyWorld.js';

const WINDOW = 2;
const OPTIONS = { limits: { window: WINDOW, minSnapshotBytes: 1_500, pageTurns: 2 } };

/** Some turns, a snapshot in the middle, and a tail of a few records. */
async function sample(): Promise<MemorySessionFs> {
  const fs = new RangedMemoryFs();
  const world = await HistoryWorld.create(fs, OPTIONS);
  world.act({ type: 'session/ready', session: SESSION, at: 1 });
  for (let n = 1; n <= 7; n++) {
    playTurn(world, n, 1);
    await world.told();
  }
  await world.log.close();
  await world.history.settled();
  // With other limits, so that there is no snapshot at the end.
  const later = await HistoryWorld.open(fs, { limits: { window: WINDOW } });
  playTurn(later, 8, 1);
  later.act({ type: 'session/titleChanged', session: SESSION, at: 9, title: 'the end ä🦊' }, 'bob');
  await later.told();
  await later.log.close();
  await later.history.settled();
  return fs;
}

const sampleFs = await sample();
const log = await bytesOf(sampleFs, 'events.jsonl');
const whole = await foldOf(log, WINDOW);
const allTurns = (await foldOf(log, 100))?.state.turns ?? [];
const first = await open(await copyOf(sampleFs));
const position = first.skipped ?? { start: 0, end: 0 };

async function open(fs: RangedMemoryFs): Promise<OpenedSession> {
  const opened = await openHistory(fs, OPTIONS);
  if (!opened) throw new Error('no session');
  return opened;
}

/** What the background finds. */
async function check({ log, skipped }: OpenedSession): Promise<DamageReport | undefined> {
  if (!skipped) return undefined;
  return log.check(skipped, { signal: new AbortController().signal, pause: async () => undefined });
}

const flip = (bytes: Buffer, byte: number, bit: number) => {
  const flipped = Buffer.from(bytes);
  flipped[byte] = (flipped[byte] ?? 0) ^ (1 << bit);
  return flipped;
};

/** All turns that are not in memory, as a client pages through them. */
async function older({ history, folded }: OpenedSession) {
  const earlier = folded.state.earlierTurns ?? 0;
  const page = await history.readTurns({ ordinal: earlier }, upTo(earlier + 1), earlier);
  return [...(page?.turns ?? []), ...folded.state.turns];
}

// Every byte is tried: minutes on a machine that has much else to do.
describe('a log with a snapshot', { timeout: 180_000 }, () => {
  it('is opened from it, completely', async () => {
    expect(comparable(first.folded)).toEqual(whole && comparable(whole));
    expect([first.reports, await check(first)]).toEqual([[], undefined]);
    expect(position.start).toBeGreaterThan(1_500);
    expect(log.length - position.end).toBeGreaterThan(500);
    expect(await older(first)).toEqual(allTurns);
    expect((await bytesOf(sampleFs, 'events.turns.jsonl')).length).toBeGreaterThan(0);
  });

  it('cut at every byte loses only what was cut, and continues', async () => {
    for (let length = 1; length < log.length; length++) {
      const cut = log.subarray(0, length);
      const fs = await copyOf(sampleFs, { 'events.jsonl': cut });
      const expected = await foldOf(cut, WINDOW);
      const session = await openHistory(fs, OPTIONS);
      expect(session && comparable(session.folded), `cut at ${length}`).toEqual(expected && comparable(expected));
      if (!session || !expected) continue;
      const isLineEnd = cut.at(-1) === 0x0a;
      expect(session.reports.length, `cut at ${length}`).toBe(isLineEnd ? 0 : 1);
      if (length % 13 > 0) continue;
      const after = await HistoryWorld.open(fs, OPTIONS);
      for (let n = 50; n < 60; n++) {
        after.act({ type: 'session/titleChanged', session: SESSION, at: n, title: `after ${n}` }, 'carol');
        await after.told();
      }
      const again = await after.restart();
      expect([again.reports, await check(again)]).toEqual([[], undefined]);
      const fold = await foldOf(await bytesOf(fs, 'events.jsonl'), WINDOW);
      expect(comparable(again.folded)).toEqual(fold && comparable(fold));
    }
  });

  it('cut and then filled with zeros is always noticed, and loses only what was cut', async () => {
    for (const zeros of [1, 4_096]) {
      for (let length = 300; length <= log.length; length += zeros === 1 ? 3 : 7) {
        const bytes = Buffer.concat([log.subarray(0, length), Buffer.alloc(zeros)]);
        const fs = await copyOf(sampleFs, { 'events.jsonl': bytes });
        const expected = await foldOf(bytes, WINDOW);
        const session = await openHistory(fs, OPTIONS);
        expect(session && comparable(session.folded)).toEqual(expected && comparable(expected));
        if (session) expect(session.reports[0]?.tornTail?.bytes, `at ${length}`).toBeGreaterThanOrEqual(zeros);
      }
    }
  });

  it('with a bit flipped anywhere is always noticed by the reader of that part, and loses nothing else', async () => {
    for (let byte = 0; byte < log.length; byte++) {
      // All bits around the place of the snapshot, one of each byte elsewhere.
      const isNear = byte > position.start - 20 && byte < position.end + 20;
      for (const bit of isNear ? [0, 1, 2, 3, 4, 5, 6, 7] : [byte % 8]) {
        const flipped = flip(log, byte, bit);
        const fs = await copyOf(sampleFs, { 'events.jsonl': flipped });
        const where = `byte ${byte}, bit ${bit}`;
        const expected = byte < position.start ? whole : await foldOf(flipped, WINDOW);
        const session = await openHistory(fs, OPTIONS);
        expect(session && comparable(session.folded), where).toEqual(expected && comparable(expected));
        if (!session) continue;
        await check(session);
        const line = log.subarray(0, byte).toString('latin1').split('\n').length;
        const broken = session.reports.flatMap((report) => report.broken.map((found) => found.line));
        const isTail = session.reports.some(({ tornTail }) => tornTail);
        expect(isTail || broken.includes(line) || broken.includes(line + 1), `${where}: ${line} in ${broken}`).toBe(
          true,
        );
        const corrupt = (await bytesOf(fs, 'events.jsonl.corrupt')).toString('latin1');
        const lineStart = log.lastIndexOf(0x0a, byte - 1) + 1;
        const damaged = flipped.subarray(byte === 0 ? 0 : lineStart, log.indexOf(0x0a, byte)).toString('latin1');
        for (const piece of damaged.split('\n').filter(Boolean)) expect(corrupt, where).toContain(piece);
      }
    }
  });

  it('is found damaged when older turns are read, and returns the rest of them', async () => {
    const inMemory = log.lastIndexOf(0x0a, log.indexOf('"message 7"'));
    for (let byte = 0; byte < Math.min(inMemory, position.start); byte += 3) {
      const flipped = flip(log, byte, byte % 8);
      const fs = await copyOf(sampleFs, { 'events.jsonl': flipped });
      const session = await open(fs);
      expect(session.reports).toEqual([]);
      const earlier = session.folded.state.earlierTurns ?? 0;
      const read = await session.history.readTurns({ ordinal: earlier }, upTo(50), earlier);
      await session.history.settled();
      expect(session.reports.length, `byte ${byte}`).toBeGreaterThan(0);
      const expected = await readTurnsByFold((await open(fs)).log, { ordinal: earlier }, upTo(50));
      expect(read).toEqual(expected);
    }
  });

  it('is found damaged when all of it is read, e.g. by a fork', async () => {
    const session = await open(await copyOf(sampleFs, { 'events.jsonl': flip(log, 700, 3) }));
    const { damage } = await session.log.loadAll();
    expect(damage?.broken).toHaveLength(1);
    expect(session.reports).toHaveLength(1);
    await session.log.loadAll();
    await check(session);
    expect(session.reports).toHaveLength(1);
  });

  it('that was damaged before its snapshot was made says so each time it is opened', async () => {
    const fs = await copyOf(sampleFs, {
      'events.jsonl': flip(log, 700, 3),
      'events.checkpoint.json': undefined,
    });
    const line = (await open(fs)).reports[0]?.broken[0]?.line;
    const again = await open(fs);
    expect(again.skipped).toBeDefined();
    expect(again.reports).toEqual([{ broken: [{ line, reason: 'the checksum does not match' }], repaired: true }]);
    expect(await check(again)).toBeUndefined();
  });

  it('that another program changed, line by line, is noticed, and read as a whole the next time', async () => {
    const line = log.indexOf(0x0a, log.indexOf('"message 2"')) + 1;
    const other = Buffer.concat([log.subarray(0, line), Buffer.from(''), log.subarray(line)]);
    // The same bytes as in another session whose second message was another one: every line has its checksum.
    const { sealLine } = await import('../../../src/storage/log/lineFormat.js');
    const start = log.lastIndexOf(0x0a, line - 2) + 1;
    const text = log.toString('utf8', start, line).replace('message 2', 'massage 2');
    Buffer.from(sealLine(text.slice(0, -',"crc":"xxxxxxxx"}\n'.length))).copy(other, start);
    const fs = await copyOf(sampleFs, { 'events.jsonl': other });
    const session = await open(fs);
    expect(session.reports).toEqual([]);
    expect(await check(session)).toEqual({ broken: [], altered: true, repaired: true });
    await session.history.giveUp();
    const again = await open(fs);
    expect(again.skipped).toBeUndefined();
    const expected = await foldOf(other, WINDOW);
    expect(comparable(again.folded)).toEqual(expected && comparable(expected));
    expect((await older(again))[1]?.userMessage.text).toBe('massage 2');
  });
});

describe.each(NAMES)('a damaged %s', (name) => {
  it('cut at any byte changes nothing', async () => {
    const bytes = await bytesOf(sampleFs, name);
    for (let length = 0; length < bytes.length; length += 3) {
      const session = await open(await copyOf(sampleFs, { [name]: bytes.subarray(0, length) }));
      expect(comparable(session.folded)).toEqual(whole && comparable(whole));
      expect(await older(session), `cut at ${length}`).toEqual(allTurns);
      await session.history.settled();
      expect(await older(session)).toEqual(allTurns);
    }
  });

  it('with any bit flipped, or followed by zeros or junk, changes nothing', async () => {
    const bytes = await bytesOf(sampleFs, name);
    const variants = [
      ...Array.from({ length: bytes.length }, (_, byte) => flip(bytes, byte, byte % 8)),
      Buffer.concat([bytes, Buffer.alloc(100)]),
      Buffer.concat([bytes, Buffer.from('{"junk":1}\n')]),
      Buffer.from('no JSON\n'),
    ];
    for (const [index, variant] of variants.entries()) {
      const fs = await copyOf(sampleFs, { [name]: variant });
      const session = await open(fs);
      expect(comparable(session.folded), `variant ${index}`).toEqual(whole && comparable(whole));
      expect(await older(session), `variant ${index}`).toEqual(allTurns);
      if (index % 50 > 0 && index < bytes.length) continue;
      const world = await HistoryWorld.open(fs, OPTIONS);
      for (let n = 9; n < 20; n++) {
        playTurn(world, n, 1);
        await world.told();
      }
      const again = await world.restart();
      expect(again.skipped?.end).toBeGreaterThan(log.length);
      expect((await older(again)).map(({ id }) => id)).toEqual(Array.from({ length: 19 }, (_, n) => `t${n + 1}`));
    }
  });
});

it('a session opens unchanged when all files beside the log are gone', async () => {
  const fs = await copyOf(sampleFs, { 'events.checkpoint.json': undefined, 'events.turns.jsonl': undefined });
  expect(await older(await open(fs))).toEqual(allTurns);
  expect(await fs.exists(at(fs, 'events.checkpoint.json'))).toBe(true);
});
