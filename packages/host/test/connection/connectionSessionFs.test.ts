import type { SetProviderParams } from '@agenthost/protocol/internal';
import { describe, expect, it } from 'vitest';
import { ConnectionSessionFs } from '../../src/connection/connectionSessionFs.js';

const config: SetProviderParams = { initialCwd: '/', sessionStatePath: '/s', conventions: 'posix' };
const IN_FLIGHT = 32;

/** A client that answers a call when told to, and in between remembers which came. */
function client() {
  const asked: { readonly path: string; answer(): void }[] = [];
  const fs = new ConnectionSessionFs(
    config,
    (_method, params) =>
      new Promise((resolve) => {
        const { path } = params as { readonly path: string };
        asked.push({ path, answer: () => resolve({ exists: true }) });
      }),
  );
  const call = (path: string) => fs.call('sessionFs.exists', { sessionId: 's', path });
  return { fs, call, asked, paths: () => asked.map(({ path }) => path) };
}

describe('ConnectionSessionFs', () => {
  it('a call that comes while a waiting one is released neither overtakes it nor exceeds the limit', async () => {
    const { call, asked, paths } = client();
    const first = Array.from({ length: IN_FLIGHT }, (_, n) => call(`${n}`));
    const waited = call('waited');
    await Promise.resolve();
    asked[0]?.answer();
    // Between the end of the first one and the moment in which the waiting one continues.
    const late = Promise.resolve().then(() => call('late'));
    await first[0];
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    expect(paths().slice(IN_FLIGHT)).toEqual(['waited']);
    for (const { answer } of asked.slice(1)) answer();
    await waited;
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    expect(paths().slice(IN_FLIGHT)).toEqual(['waited', 'late']);
    asked.at(-1)?.answer();
    await Promise.all([...first, late]);
  });

  it('fails waiting and later calls when the client disconnects', async () => {
    const { fs, call, asked } = client();
    const calls = Array.from({ length: IN_FLIGHT + 5 }, (_, n) => call(`${n}`));
    await Promise.resolve();
    const lost = fs.lose();
    await expect(
      Promise.all(calls.slice(IN_FLIGHT).map((waiting) => waiting.catch((error) => error))),
    ).resolves.toEqual(Array.from({ length: 5 }, () => lost));
    await expect(call('later')).rejects.toBe(lost);
    expect(asked).toHaveLength(IN_FLIGHT);
    for (const { answer } of asked) answer();
    await Promise.all(calls.slice(0, IN_FLIGHT));
  });
});
