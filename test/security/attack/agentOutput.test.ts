import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AttackedHost } from './attackedHost.js';
import { FloodReader } from './floodReader.js';

const AGENT = join(import.meta.dirname, '../hostileAcpAgent.mjs');

/** Issue 17, agents: what is read of an agent is bounded by its bytes, whether or not they are messages. */
describe('the output of a hostile agent', { timeout: 300_000 }, () => {
  let attacked: AttackedHost;
  let client: FloodReader;
  beforeAll(async () => {
    const hostile = { name: 'Hostile', command: process.execPath, args: [AGENT] };
    attacked = await AttackedHost.start([], {}, {}, (stateDir) =>
      writeFile(join(stateDir, 'agents.json'), JSON.stringify({ agents: { hostile } })),
    );
    client = await FloodReader.open(attacked.host, 'driver');
  });
  afterAll(async () => {
    await client.end();
    await attacked.dispose();
  });

  it.each([
    ['a line without an end', 'pour x'],
    ['newlines without an end', 'pour newlines'],
  ])('ends the turn of an agent that writes %s', async (attack, prompt) => {
    const session = await client.newSession('hostile');
    await attacked.during(attack, async () => expect(await client.run(session, prompt)).toBe('session/error'));
    await client.request('disposeSession', { session });
  });
});
