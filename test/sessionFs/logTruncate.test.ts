import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { LocalSessionFs } from '../../packages/host/src/storage/fs/localSessionFs.js';
import { MemorySessionFs } from '../../packages/host/src/storage/fs/memorySessionFs.js';
import type { SessionFs } from '../../packages/host/src/storage/fs/sessionFs.js';
import { LOG_BEGINNING, type LogPosition } from '../../packages/host/src/storage/log/eventLog.js';
import { JsonlEventLog } from '../../packages/host/src/storage/log/jsonlEventLog.js';
import { FaultySessionFs } from '../../packages/host/test/storage/faultySessionFs.js';
import { eventsPath, start, title } from '../../packages/host/test/storage/log/logSamples.js';
import { memoryHandler, textHandler } from '../support/storage/memoryProvider.js';
import { provideRaw } from '../support/storage/providedSessionFs.js';
import { temporaryFolder } from '../support/testHost.js';

const cleanUp: (() => Promise<void>)[] = [];

async function local(): Promise<SessionFs> {
  const stateRoot = await temporaryFolder();
  const fs = await LocalSessionFs.open({ stateRoot, sessionId: 's1' });
  cleanUp.push(async () => {
    await fs.dispose();
    await rm(stateRoot, { recursive: true, force: true });
  });
  return fs;
}

const stored = () => new MemorySessionFs({ sessionStatePath: '/state' });

const BACKENDS: readonly (readonly [string, () => Promise<SessionFs>])[] = [
  ['on the local disk', local],
  ['in memory', async () => stored()],
  ['of a client', async () => provideRaw(memoryHandler(stored())).fs],
  ['of a client that keeps text alone', async () => provideRaw(textHandler(stored())).fs],
];

describe.each(BACKENDS)('truncate of a log %s', (_where, open) => {
  afterEach(() => Promise.all(cleanUp.splice(0).map((run) => run())));

  /** A log of five records, and the place after each of them. */
  async function logOf(fs: SessionFs) {
    const log = await JsonlEventLog.open({ fs, retryMs: 0 });
    log.append(start);
    for (const n of [1, 2, 3, 4]) log.append(title(`<${n}> ä🦊`, n));
    await log.flush();
    const places: LogPosition[] = [];
    for await (const { position } of log.entries()) places.push(position);
    const at = (n: number) => places[n - 1] ?? LOG_BEGINNING;
    return { log, at };
  }

  const numbersIn = async (log: JsonlEventLog) => (await log.loadAll()).records.map(({ n }) => n);
  const reopened = async (fs: SessionFs) => numbersIn(await JsonlEventLog.open({ fs }));

  it('cuts off what comes after a place, and continues from there', async () => {
    const fs = await open();
    const { log, at } = await logOf(fs);
    await log.truncate(at(3));
    expect([await numbersIn(log), log.lastN, log.size]).toEqual([[1, 2, 3], 3, at(3).end]);
    expect((await fs.stat(eventsPath(fs))).size).toBe(at(3).end);
    expect(await reopened(fs)).toEqual([1, 2, 3]);
    log.append(title('<after>', 9));
    await log.close();
    const again = await (await JsonlEventLog.open({ fs })).loadAll();
    expect([again.records.map(({ n }) => n), again.damage]).toEqual([[1, 2, 3, 4], undefined]);
    expect(again.records.at(-1)).toMatchObject({ action: { title: '<after>' } });
    expect(await fs.exists(`${eventsPath(fs)}.corrupt`)).toBe(false);
  });

  it('of everything leaves an empty log', async () => {
    const fs = await open();
    const { log } = await logOf(fs);
    await log.truncate(LOG_BEGINNING);
    expect([log.size, await numbersIn(log)]).toEqual([0, []]);
    log.append(start);
    await log.close();
    expect(await reopened(fs)).toEqual([1]);
  });

  it('to its end changes nothing', async () => {
    const fs = await open();
    const { log, at } = await logOf(fs);
    await log.truncate(at(5));
    expect(await numbersIn(log)).toEqual([1, 2, 3, 4, 5]);
  });

  it('stores what was only appended before, and cuts it off as well; later appends follow the cut', async () => {
    const fs = await open();
    const { log, at } = await logOf(fs);
    log.append(title('<before>', 8));
    const cut = log.truncate(at(2));
    log.append(title('<meanwhile>', 9));
    await cut;
    await log.close();
    const { records, damage } = await (await JsonlEventLog.open({ fs })).loadAll();
    expect(damage).toBeUndefined();
    const titles = records.map((record) =>
      record.type === 'action' && 'title' in record.action ? record.action.title : '',
    );
    // It may have come in time to be stored with what was before, and then it was cut off too.
    expect(titles.filter((text) => text !== '<meanwhile>')).toEqual(['', '<1> ä🦊']);
  });

  it('rejects a place that the log does not have, and changes nothing', async () => {
    const fs = await open();
    const { log, at } = await logOf(fs);
    const other = { ...at(3), sum: at(3).sum ^ 1 };
    await expect(log.truncate(other)).rejects.toMatchObject({ code: 'NOT_THERE' });
    await expect(log.truncate({ ...at(5), end: at(5).end + 1 })).rejects.toMatchObject({ code: 'NOT_THERE' });
    await log.truncate(at(3));
    await expect(log.truncate(at(4))).rejects.toMatchObject({ code: 'NOT_THERE' });
    expect(await reopened(fs)).toEqual([1, 2, 3]);
  });

  it('needs a loaded and open log', async () => {
    const fs = await open();
    const { log, at } = await logOf(fs);
    await log.close();
    await expect(log.truncate(at(1))).rejects.toMatchObject({ code: 'CLOSED' });
    await expect((await JsonlEventLog.open({ fs })).truncate(at(1))).rejects.toMatchObject({ code: 'NOT_LOADED' });
  });

  it('drops the marks of what it cut off', async () => {
    const fs = await open();
    const { log, at } = await logOf(fs);
    log.append(title('<5>', 5));
    const marked = log.mark();
    await log.truncate(at(2));
    await log.close();
    expect(await marked).toBeUndefined();
  });

  it('leaves the log unchanged when it fails', async () => {
    const fs = new FaultySessionFs(await open());
    const { log, at } = await logOf(fs);
    for (const operation of ['stat', 'writeFile', 'rename'] as const) {
      fs.faultAt = (_, call) => (call.operation === operation ? { code: 'EIO' } : undefined);
      await expect(log.truncate(at(2)), operation).rejects.toMatchObject({ code: 'EIO' });
      fs.faultAt = () => undefined;
      expect(await numbersIn(log)).toEqual([1, 2, 3, 4, 5]);
    }
    log.append(title('<after>', 9));
    await log.flush();
    expect(await reopened(fs)).toEqual([1, 2, 3, 4, 5, 6]);
    await log.truncate(at(2));
    expect(await reopened(fs)).toEqual([1, 2]);
  });
});
