import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { PageSums } from '../../src/sessionIndex/pageSums.js';
import { SqliteSessionIndex } from '../../src/sessionIndex/sqliteSessionIndex.js';
import { summary } from './indexSamples.js';

it('is not trusted up to now while a reader keeps the write-ahead log from being emptied', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agenthost-index-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'index.sqlite');
  const index = new SqliteSessionIndex(path, {});
  onTestFinished(() => index.close());
  const trustedUntil = () => PageSums.read(`${path}-sums`)?.trustedUntil;
  index.markFilled();
  const before = trustedUntil() ?? 0;
  expect(before).toBeGreaterThan(0);

  const reader = new DatabaseSync(path, { readOnly: true });
  onTestFinished(() => reader.close());
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM sessions').get();
  index.put(summary('s1'));
  index.markFilled();
  expect(trustedUntil()).toBe(before);

  reader.exec('COMMIT');
  // Until the clock has moved on there is nothing to see.
  const trustedNow = () => {
    index.markFilled();
    return trustedUntil();
  };
  await expect.poll(trustedNow).toBeGreaterThan(before);
});
