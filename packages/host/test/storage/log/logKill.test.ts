import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LocalSessionFs } from '../../../src/storage/fs/localSessionFs.js';
import { JsonlEventLog } from '../../../src/storage/log/jsonlEventLog.js';
import { startProcess } from '../sourceProcess.js';
import { tokensOf } from './logSamples.js';

it('a host that is killed again and again loses nothing that it reported as stored', async () => {
  const stateRoot = await mkdtemp(join(tmpdir(), 'agenthost-kill-'));
  const told: string[] = [];
  for (let run = 0; run < 10; run++) {
    const host = startProcess(new URL('./loggingProcess.ts', import.meta.url), [stateRoot]);
    const killed = Promise.withResolvers<void>();
    for (let line = 0; ; line++) {
      const text = await host.nextLine().catch(() => undefined);
      if (text === undefined) break;
      if (text.endsWith('.')) told.push(...text.slice(0, -1).split(' '));
      if (line === 20 + run * 7) void host.end('SIGKILL').then(killed.resolve);
    }
    await killed.promise;
    const fs = await LocalSessionFs.open({ stateRoot, sessionId: 'killed', create: false, tmpRoot: stateRoot });
    const { records, damage } = await (await JsonlEventLog.open({ fs })).loadAll();
    const stored = tokensOf(records);
    expect(stored).toEqual(stored.map((_, index) => `<${index + 1}>`));
    expect(records.map((record) => record.n)).toEqual(records.map((_, index) => index + 1));
    const found = new Set(stored);
    expect(told.filter((token) => !found.has(`<${token}>`))).toEqual([]);
    expect(damage?.broken ?? []).toEqual([]);
    await fs.dispose();
  }
  expect(told.length).toBeGreaterThan(1_000);
  await rm(stateRoot, { recursive: true });
  // Ten processes that are started and killed.
}, 180_000);
