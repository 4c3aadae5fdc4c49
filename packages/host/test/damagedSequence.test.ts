import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryTransportPair, RpcPeer } from '@agenthost/rpc';
import { afterEach, expect, it } from 'vitest';
import { Host, MockAgent } from '../src/index.js';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

it('[ENV1] the counter continues above every log when its own files are damaged', async () => {
  const stateDir = await mkdtemp(join(tmpdir(), 'agenthost-test-'));
  folders.push(stateDir);
  const before = await runTurn(stateDir);
  for (const name of await readdir(stateDir)) {
    if (name.startsWith('sequence')) await writeFile(join(stateDir, name), 'garbage');
  }
  expect(await runTurn(stateDir)).toBeGreaterThan(before);
});

/** Makes a session, names it, and answers the highest number that a client has seen. */
async function runTurn(stateDir: string): Promise<number> {
  const host = await Host.start({ stateDir, agents: [new MockAgent()] });
  const { a, b } = createMemoryTransportPair();
  host.attach(a);
  const client = new RpcPeer(b);
  const session = `mock:/${crypto.randomUUID()}`;
  const echoed = new Promise<number>((resolve) => {
    client.onNotification('action', {
      parse: (params) => (params as { envelope: { serverSeq: number; origin?: unknown } }).envelope,
      handle: (envelope) => {
        if (envelope.origin) resolve(envelope.serverSeq);
      },
    });
  });
  await client.request('initialize', { protocolVersion: 1, clientId: 'c1' });
  await client.request('createSession', { session });
  const action = { type: 'session/titleChanged', session, at: 1, title: 'a' };
  client.notify('dispatchAction', { clientSeq: 1, action });
  const seen = await echoed;
  await host.close();
  return seen;
}
