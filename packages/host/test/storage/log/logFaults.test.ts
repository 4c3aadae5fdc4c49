import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';
import type { Durability } from '../../../src/storage/log/jsonlEventLog.js';
import { JsonlEventLog } from '../../../src/storage/log/jsonlEventLog.js';
import { type Fault, FaultySessionFs } from '../faultySessionFs.js';
import { delta, eventsPath, loadBytes, title, tokensOf } from './logSamples.js';

interface Run {
  readonly fs: FaultySessionFs;
  readonly rejections: number;
}

/** Client actions and text, flushed as by a host; a batch that could not be stored is retried, or rolled back. */
async function scriptedSession(
  durability: Durability,
  onFailure: 'retry' | 'rollBack',
  faultAt: (index: number) => Fault | undefined,
): Promise<Run> {
  const memory = new MemorySessionFs();
  const fs = new FaultySessionFs(memory, faultAt);
  const log = await until(() => JsonlEventLog.open({ fs, durability, debounceMs: 1_000_000, retryMs: 1_000_000 }));
  let model: string[] = [];
  let rejections = 0;
  let token = 0;
  let position = 0;
  for (let batch = 0; batch < 6; batch++) {
    const before = { position, model };
    const added = [`<${++token}>`, `<${++token}>`, `<${++token}>`, `<${++token}>`] as const;
    log.append(delta(added[0], token));
    log.append(delta(added[1], token));
    log.append(title(added[2], token));
    position = log.append(delta(added[3], token));
    model = [...model, ...added];
    try {
      await log.flush();
      await isStored(memory, model, 'exactly');
    } catch (error) {
      if ((error as { code?: string }).code !== 'EIO') throw error;
      rejections++;
      await isStored(memory, before.model, 'atLeast');
      if (onFailure === 'retry') await until(() => log.flush());
      else {
        expect(log.rollbackTo(before.position)).toBe(true);
        model = before.model;
      }
    }
  }
  await until(() => log.close());
  await isStored(memory, model, 'exactly');
  return { fs, rejections };
}

/** As after a crash at this moment: reopened from the file. */
async function isStored(fs: MemorySessionFs, model: readonly string[], how: 'exactly' | 'atLeast'): Promise<void> {
  const { records, damage } = await loadBytes(await fs.readFileBytes(eventsPath(fs)).catch(() => new Uint8Array()));
  const tokens = tokensOf(records);
  expect(records.map((record) => record.n)).toEqual(records.map((_, index) => index + 1));
  expect(how === 'exactly' ? tokens : tokens.slice(0, model.length)).toEqual(model);
  if (how === 'exactly') expect(damage).toBeUndefined();
}

async function until<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt > 10) throw error;
    }
  }
}

describe.each(['write', 'fsync'] as const)('a disk that fails (%s)', (durability) => {
  it.each(['retry', 'rollBack'] as const)(
    'at its n-th operation, for every n, and the host does %s',
    async (onFailure) => {
      const { fs: clean } = await scriptedSession(durability, onFailure, () => undefined);
      let rejections = 0;
      for (const written of [0, 0.01, 0.5, 0.99, 1]) {
        for (const length of [1, 2, 3, 7]) {
          for (let n = 1; n <= clean.calls.length + 8; n++) {
            const faultAt = (index: number) =>
              index >= n && index < n + length ? { code: 'EIO', written } : undefined;
            rejections += (await scriptedSession(durability, onFailure, faultAt)).rejections;
          }
        }
      }
      expect(rejections).toBeGreaterThan(80);
    },
  );
});

describe('rollback', () => {
  it('of records that were written meanwhile cuts them off the file', async () => {
    const fs = new FaultySessionFs(new MemorySessionFs());
    const log = await JsonlEventLog.open({ fs, debounceMs: 0 });
    log.append(title('<1>', 1));
    await log.flush();
    const kept = log.append(delta('<2>', 2));
    log.append(delta('<3>', 3));
    log.append(title('<4>', 4));
    const written = Promise.withResolvers<void>();
    fs.before = async ({ operation }) => void (operation === 'appendFile' && setImmediate(written.resolve));
    await written.promise;
    expect(log.bufferedBytes).toBe(0);
    expect(log.rollbackTo(kept)).toBe(true);
    log.append(title('<5>', 5));
    await log.close();
    const { records, damage } = await (await JsonlEventLog.open({ fs })).loadAll();
    expect([tokensOf(records), records.map((record) => record.n), damage]).toEqual([
      ['<1>', '<2>', '<5>'],
      [1, 2, 3],
      undefined,
    ]);
  });

  it('of records that are being written waits for the write, and spares later appends', async () => {
    const fs = new FaultySessionFs(new MemorySessionFs());
    const log = await JsonlEventLog.open({ fs });
    log.append(title('<1>', 1));
    await log.flush();
    const before = log.append(title('<2>', 2));
    log.append(delta('<3>', 3));
    fs.before = async ({ operation }) => {
      if (operation !== 'appendFile') return;
      fs.before = async () => undefined;
      expect(log.rollbackTo(before - 1)).toBe(true);
      log.append(delta('<4>', 4));
    };
    await expect(log.flush()).rejects.toMatchObject({ code: 'ROLLED_BACK' });
    await log.close();
    const { records, damage } = await (await JsonlEventLog.open({ fs })).loadAll();
    expect([tokensOf(records), damage]).toEqual([['<1>', '<4>'], undefined]);
  });

  it('of failed records comes before the retry, also when another caller flushes at once', async () => {
    const fs = new FaultySessionFs(new MemorySessionFs());
    const log = await JsonlEventLog.open({ fs });
    fs.faultAt = (_, { operation }) => (operation === 'appendFile' ? { code: 'EIO' } : undefined);
    log.append(title('<1>', 1));
    const failed = log.flush();
    const again = failed.catch(() => {
      fs.faultAt = () => undefined;
      return log.flush();
    });
    await failed.catch(async () => {
      // Some turns of the loop of promises later, as in a host that waits for several logs.
      for (let turn = 0; turn < 20; turn++) await undefined;
      log.rollbackTo(0);
    });
    await expect(again).rejects.toMatchObject({ code: 'ROLLED_BACK' });
    await log.close();
    expect(fs.count('appendFile')).toBe(1);
  });

  it('of records that were flushed long ago is refused', async () => {
    const log = await JsonlEventLog.open({ fs: new MemorySessionFs() });
    const positions: number[] = [];
    for (let index = 0; index < 4; index++) {
      positions.push(log.append(title(`<${index}>`, index)));
      await log.flush();
    }
    expect(log.rollbackTo(positions[0] ?? 0)).toBe(false);
    expect(log.rollbackTo(positions[3] ?? 0)).toBe(true);
  });
});

describe('any history of a log', () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.constant('text' as const) },
    { weight: 3, arbitrary: fc.constant('action' as const) },
    { weight: 3, arbitrary: fc.constant('flush' as const) },
    { weight: 1, arbitrary: fc.constant('flushLater' as const) },
    { weight: 2, arbitrary: fc.constant('tick' as const) },
    { weight: 2, arbitrary: fc.constant('fault' as const) },
    { weight: 1, arbitrary: fc.constant('takeBack' as const) },
    { weight: 1, arbitrary: fc.constant('reopen' as const) },
  );
  const faults = fc.record({
    after: fc.nat(4),
    length: fc.integer({ min: 1, max: 3 }),
    written: fc.constantFrom(0, 0.4, 1),
  });

  it('keeps what was flushed, in order, without gaps, and nothing that was rolled back', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.infiniteStream(faults),
        fc.constantFrom('write', 'fsync'),
        async (steps, faultStream, durability) => {
          const memory = new MemorySessionFs();
          const fs = new FaultySessionFs(memory);
          const options = { fs, durability, debounceMs: 0, retryMs: 0 } as const;
          let log = await JsonlEventLog.open(options);
          let model: { token: string; position: number }[] = [];
          let stored = 0;
          let token = 0;
          const pending: Promise<void>[] = [];
          const flush = () => {
            const upTo = model.at(-1)?.position ?? 0;
            const count = model.length;
            const { log: flushed, model: then } = { log, model };
            return flushed.flush().then(
              () => {
                if (model === then || model.some(({ position }) => position === upTo)) stored = Math.max(stored, count);
              },
              () => undefined,
            );
          };
          for (const name of steps) {
            if (name === 'text' || name === 'action') {
              const text = `<${++token}>`;
              const position = log.append(name === 'text' ? delta(text, token) : title(text, token));
              model.push({ token: text, position });
            } else if (name === 'flush') await flush();
            else if (name === 'flushLater') pending.push(flush());
            else if (name === 'tick') await new Promise((resolve) => setImmediate(resolve));
            else if (name === 'fault') {
              const { after, length, written } = faultStream.next().value;
              const from = fs.calls.length + after;
              fs.faultAt = (index) => (index > from && index <= from + length ? { code: 'EIO', written } : undefined);
            } else if (name === 'takeBack') {
              // As a host: only what is not stored yet, as far as it was told.
              const back = model.slice(stored);
              const [first] = back;
              if (!first) continue;
              expect(log.rollbackTo(first.position - 1)).toBe(true);
              model = model.slice(0, stored);
            } else {
              fs.faultAt = () => undefined;
              await Promise.all(pending.splice(0));
              await log.close();
              log = await JsonlEventLog.open(options);
              const { records, damage } = await log.loadAll();
              expect([tokensOf(records), damage]).toEqual([model.map((entry) => entry.token), undefined]);
              stored = model.length;
              model = model.map((entry) => ({ ...entry, position: 0 }));
            }
          }
          fs.faultAt = () => undefined;
          await Promise.all(pending);
          await log.close();
          await isStored(
            memory,
            model.map((entry) => entry.token),
            'exactly',
          );
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
