import { rm } from 'node:fs/promises';
import type { Snapshot } from '@agenthost/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RawClient } from '../support/rawClient.js';
import { spawnHost, temporaryFolder } from '../support/testHost.js';
import { mutations } from './frameMutations.js';

/** `npm run test:security` sends 100,000. */
const FRAMES = Number(process.env['AGENTHOST_SECURITY_FRAMES'] ?? 4_000);
const BATCH = 500;
const FIXED_SEED = 20_261_115;

it(`point 7: ${FRAMES} frames made from valid ones: no crash, no hang, and the host answers another client`, async () => {
  const stateDir = await temporaryFolder();
  const host = await spawnHost(stateDir);
  let exits = 0;
  host.process.on('exit', () => exits++);
  try {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const witness = await RawClient.open(host);
    await witness.request('initialize', { protocolVersion: 1, clientId: 'witness' });
    const session = 'mock:/witness';
    await witness.request('createSession', { session });
    const before = await witness.request<Snapshot>('subscribe', { resource: session });
    let sent = 0;
    let connections = 0;
    let answers = 0;
    for (const [half, from] of [FIXED_SEED, seed].entries()) {
      const frames = fc.sample(mutations('mock:/fuzzed'), { numRuns: Math.ceil(FRAMES / 2), seed: from });
      for (let start = 0; start < frames.length; start += BATCH) {
        const client = await RawClient.open(host);
        connections++;
        client.sendText(
          JSON.stringify({
            jsonrpc: '2.0',
            id: 'hello',
            method: 'initialize',
            params: { protocolVersion: 1, clientId: `fuzz-${half}-${start}` },
          }),
        );
        for (const frame of frames.slice(start, start + BATCH)) {
          if (client.socket.readyState !== client.socket.OPEN) break;
          client.sendText(frame);
          sent++;
        }
        // A frame may rightly have ended the connection; the host must not have ended.
        client.sendText('{"jsonrpc":"2.0","id":"the fence","method":"ping"}');
        const fence = client.next(({ id }) => id === 'the fence', 'an answer after the frames');
        fence.catch(() => {});
        await Promise.race([fence, client.closed]);
        answers += client.received.length;
        await client.end();
        await witness.fence();
        expect([exits, from, start]).toEqual([0, from, start]);
      }
    }
    const after = await witness.request<Snapshot>('subscribe', { resource: session });
    expect(after.resource).toBe(before.resource);
    process.stdout.write(
      `${sent} frames (seeds ${FIXED_SEED}, ${seed}), ${connections} connections, ${answers} answers, ${exits} crashes\n`,
    );
    expect(sent).toBeGreaterThan(FRAMES * 0.9);
    expect(answers).toBeGreaterThan(FRAMES / 4);
    await witness.end();
  } finally {
    await host.kill('SIGKILL');
    await rm(stateDir, { recursive: true, force: true });
  }
}, 900_000);
