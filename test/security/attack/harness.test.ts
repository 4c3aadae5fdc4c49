import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawClient } from '../../support/rawClient.js';
import { AttackedHost } from './attackedHost.js';

/** The suite's own gate: a host that stalls, or takes too much memory, fails the attack. */
describe('the attack suite', () => {
  let attacked: AttackedHost;
  beforeAll(async () => {
    attacked = await AttackedHost.start();
  });
  afterAll(() => attacked.dispose());

  it('passes when a client sends 10,000 invalid frames', async () => {
    await attacked.during('10,000 malformed frames', async () => {
      const client = await RawClient.open(attacked.host);
      for (let n = 0; n < 10_000; n++) client.sendText(n % 2 === 0 ? '{"jsonrpc":"2.0"' : '[]');
      await client.next(({ error }) => error !== undefined, 'a refusal');
      await client.end();
    });
  });

  it('fails when the host does not answer others for a second', async () => {
    const stalled = attacked.during('a host that is stopped', async () => {
      attacked.host.process.kill('SIGSTOP');
      await pause(1_000);
      attacked.host.process.kill('SIGCONT');
    });
    await expect(stalled).rejects.toThrow('ping p99 in ms under: a host that is stopped');
  });
});
