import { describe, expect, it } from 'vitest';
import { KeyedLock } from '../../../src/storage/fs/keyedLock.js';

describe('a lock by key', () => {
  it('runs the work of one key in order, one at a time, and that of others in parallel', async () => {
    const lock = new KeyedLock();
    const seen: string[] = [];
    const gate = Promise.withResolvers<void>();
    const first = lock.run('a', async () => {
      seen.push('a1 begins');
      await gate.promise;
      seen.push('a1 ends');
    });
    const second = lock.run('a', async () => void seen.push('a2'));
    await lock.run('b', async () => void seen.push('b'));
    expect(seen).toEqual(['a1 begins', 'b']);
    gate.resolve();
    await Promise.all([first, second]);
    expect(seen).toEqual(['a1 begins', 'b', 'a1 ends', 'a2']);
  });

  it('returns the result of the work, and runs the next one after a failure', async () => {
    const lock = new KeyedLock();
    const failed = lock.run('a', () => Promise.reject(new Error('mine')));
    const thrown = lock.run('a', () => {
      throw new Error('also mine');
    });
    const fine = lock.run('a', () => 7);
    await expect(failed).rejects.toThrow('mine');
    await expect(thrown).rejects.toThrow('also mine');
    expect(await fine).toBe(7);
  });

  it('keeps nothing of an unused key', async () => {
    const lock = new KeyedLock();
    const runs = Array.from({ length: 100 }, (_, index) => lock.run(`k${index % 10}`, async () => index));
    expect(lock.size).toBe(10);
    await Promise.all(runs);
    await lock.run('x', () => Promise.reject(new Error())).catch(() => undefined);
    expect(lock.size).toBe(0);
  });

  it('refuses more than its limit', async () => {
    const lock = new KeyedLock({ maxWaiting: 2 });
    const gate = Promise.withResolvers<void>();
    const runs = [lock.run('a', () => gate.promise), lock.run('a', () => 1), lock.run('a', () => 2)];
    await expect(lock.run('a', () => 3)).rejects.toMatchObject({ code: 'EBUSY' });
    gate.resolve();
    expect(await Promise.all(runs)).toEqual([undefined, 1, 2]);
    expect(await lock.run('a', () => 4)).toBe(4);
  });
});
