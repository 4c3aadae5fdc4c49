import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Journal } from '../../../src/agents/runner/journal.js';

const MEMORY = 1_000;
const MAX = 20_000;

describe('the bytes of a program that the host has not stored', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agenthost-journal-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const make = (path = join(folder, 'out')) => new Journal({ path, memoryBytes: MEMORY, maxBytes: MAX });
  /** Each byte says its number. */
  const bytesFrom = (start: number, count: number) =>
    Buffer.from(Array.from({ length: count }, (_, i) => (start + i) % 251));

  it('are read again from any place, in memory and in the file, many times around the file', async () => {
    const journal = make();
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    for (let step = 0; step < 1_500; step++) {
      if (!journal.isFull) expect(journal.push(bytesFrom(journal.end, 1 + random(3_000)))).toBe(true);
      if (random(3) === 0) journal.release(journal.released + random(journal.end - journal.released + 1));
      const from = journal.released + random(journal.end - journal.released + 1);
      const bytes = journal.read(from, 1 + random(5_000));
      expect(bytes.equals(bytesFrom(from, bytes.length))).toBe(true);
      expect(bytes.length > 0).toBe(from < journal.end);
    }
    expect(journal.end).toBeGreaterThan(500_000);
    expect((await stat(join(folder, 'out'))).size).toBeLessThanOrEqual(MAX + 2 * 1024 * 1024);
    journal.close();
  });

  it('are as many as there may be when it is full, and a source that goes on loses its newest', () => {
    const journal = make();
    while (!journal.isFull) journal.push(bytesFrom(journal.end, 1_000));
    expect(journal.end).toBe(MAX);
    while (journal.push(bytesFrom(journal.end, 64_000)));
    expect(journal.end).toBeLessThanOrEqual(MAX + 2 * 1024 * 1024);
    expect(journal.read(0, 10).equals(bytesFrom(0, 10))).toBe(true);
    journal.release(journal.end);
    expect(journal.isFull).toBe(false);
  });

  it('stay in memory where no file can be written, and its source waits sooner', () => {
    const journal = make(join(folder, 'missing', 'out'));
    while (!journal.isFull) journal.push(bytesFrom(journal.end, 300));
    expect(journal.end).toBeLessThan(2 * MEMORY);
    expect(journal.read(0, 5_000).equals(bytesFrom(0, journal.end))).toBe(true);
    journal.release(journal.end);
    expect(journal.isFull).toBe(false);
  });

  it('are refused when they were released, or have not come', () => {
    const journal = make();
    journal.push(bytesFrom(0, 500));
    journal.release(100);
    journal.release(50);
    expect(() => journal.read(99, 1)).toThrow('no byte 99');
    expect(() => journal.read(501, 1)).toThrow('no byte 501');
    expect(journal.read(500, 10).length).toBe(0);
    journal.release(9_999);
    expect(journal.released).toBe(500);
  });
});
