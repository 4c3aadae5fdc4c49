import { setImmediate as immediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';
import { JsonlEventLog } from '../../../src/storage/log/jsonlEventLog.js';
import { start, title } from './logSamples.js';

it('lets other work run while a log in memory is read', async () => {
  const fs = new MemorySessionFs();
  const log = await JsonlEventLog.open({ fs });
  log.append(start);
  for (let n = 1; n <= 4_000; n++) log.append(title(`title ${n} ${'x'.repeat(300)}`, n));
  await log.close();
  let served = 0;
  let isDone = false;
  const serve = async () => {
    for (; !isDone; served++) await immediate();
  };
  const serving = serve();
  const { records } = await (await JsonlEventLog.open({ fs })).loadAll();
  isDone = true;
  await serving;
  expect(records.length).toBe(4_001);
  // About 2 MB: every 128 KiB.
  expect(served).toBeGreaterThan(10);
});
