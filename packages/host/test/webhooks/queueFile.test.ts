import { appendFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/testHost.js';
import { silentLog } from '../../src/hostLog.js';
import { QueueFile } from '../../src/webhooks/queueFile.js';

describe('the queue of a webhook in a file', () => {
  let folder: string;
  let path: string;
  const open: QueueFile[] = [];
  const queue = (since = 10) => {
    const made = new QueueFile(path, since, silentLog);
    open.push(made);
    return made;
  };
  beforeEach(async () => {
    folder = await temporaryFolder();
    path = join(folder, 'wh_1.jsonl');
  });
  afterEach(async () => {
    for (const one of open.splice(0)) one.close();
    await rm(folder, { recursive: true });
  });

  it('has what waits after a crash: where each session stands, and what was told of the others', async () => {
    const first = queue();
    expect(first.place).toEqual({ seq: 10 });
    first.begin({ session: 'mock:/a', seq: 10 });
    first.begin({ session: 'mock:/b', seq: 10 });
    first.keep({ session: 'mock:/a', seq: 12, cursor: '3-10-20-0011aabb' });
    first.end({ session: 'mock:/b', seq: 15 });
    const again = queue();
    expect(await again.waiting()).toEqual([{ session: 'mock:/a', seq: 12, cursor: '3-10-20-0011aabb' }]);
    expect(again.place).toEqual({ seq: 15 });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('skips a line that was cut off, and a place that is none', async () => {
    const first = queue();
    first.begin({ session: 'mock:/a', seq: 11, cursor: '../../etc/passwd' });
    first.begin({ session: 'mock:/b', seq: 11 });
    await appendFile(path, '{"session":"mock:/c","se');
    expect(await queue().waiting()).toEqual([
      { session: 'mock:/a', seq: 11 },
      { session: 'mock:/b', seq: 11 },
    ]);
    await writeFile(path, '\0\0\0 nothing of use\n[]\n{"session":7,"seq":1}\nnull\n');
    expect(await queue(20).waiting()).toEqual([]);
  });

  it('stays small however much is told', async () => {
    const long = queue();
    for (let n = 0; n < 20_000; n++) {
      long.begin({ session: `mock:/${n % 50}`, seq: n });
      if (n % 50 !== 7) long.end({ session: `mock:/${n % 50}`, seq: n });
    }
    expect((await stat(path)).size).toBeLessThan(300 * 1024);
    expect(await queue().waiting()).toEqual([{ session: 'mock:/7', seq: 19_957 }]);
    expect(await readFile(path, 'utf8')).toContain('19999');
  });
});
