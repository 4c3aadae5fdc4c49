import { describe, expect, it } from 'vitest';
import { hostWords } from '../../../src/server/access/hostWords.js';
import { keyOf, MemoryCodes, newCode, OneTimeCodes } from '../../../src/server/access/oneTimeCodes.js';

const MINUTE = 60_000;

describe('a code', () => {
  it('has at least 128 bits', () => {
    const codes = Array.from({ length: 100 }, newCode);
    for (const code of codes) expect(Buffer.from(code, 'base64url').length * 8).toBeGreaterThanOrEqual(128);
    expect(new Set(codes).size).toBe(100);
  });

  it('is taken by exactly one of a hundred, also while others change what it stands for', async () => {
    const codes = new OneTimeCodes<number>(new MemoryCodes());
    const { key } = await codes.put('code', 0);
    const tries = Array.from({ length: 100 }, async (_, n) => {
      await codes.change(key, (value) => value + 1);
      return codes.take(key, () => n);
    });
    const states = (await Promise.all(tries)).map(({ state }) => state);
    expect(states.filter((state) => state === 'waiting').length).toBe(1);
    expect(states.filter((state) => state === 'used').length).toBe(99);
  });

  it('expires after ten minutes and says so, and a removed one is unknown', async () => {
    let now = 0;
    const codes = new OneTimeCodes<string>(new MemoryCodes(() => now));
    const { key } = await codes.put('code', 'value');
    const other = await codes.put('other', 'value');
    now = 10 * MINUTE - 1;
    expect(await codes.find(key)).toEqual({ state: 'waiting', value: 'value', validMs: 1 });
    now = 10 * MINUTE;
    expect(await codes.take(key)).toEqual({ state: 'expired' });
    await codes.remove(other.key);
    expect(await codes.find(other.key)).toEqual({ state: 'unknown' });
    expect(await codes.take(keyOf('never made'))).toEqual({ state: 'unknown' });
  });

  it('gives its place to a new one only when it no longer works, as far as there is one', async () => {
    const codes = new OneTimeCodes<string>(new MemoryCodes());
    const [oldest, used] = [await codes.put('oldest', ''), await codes.put('used', '')];
    await codes.take(used.key);
    for (let n = 0; n < MemoryCodes.MAX - 1; n++) await codes.put(`code ${n}`, '');
    expect([(await codes.find(oldest.key)).state, (await codes.find(used.key)).state]).toEqual(['waiting', 'unknown']);
    await codes.put('one more', '');
    expect((await codes.find(oldest.key)).state).toBe('unknown');
  });
});

it('the words of a host are the same each time, and differ between tokens', () => {
  expect(hostWords('a')).toMatch(/^[a-z]+ [a-z]+ \d\d [a-z]+$/);
  expect(hostWords('a')).toBe(hostWords('a'));
  expect(new Set(Array.from({ length: 1_000 }, (_, n) => hostWords(`token ${n}`))).size).toBe(1_000);
});
