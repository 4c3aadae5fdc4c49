import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AhpTestClient } from '../../support/ahpClient.js';
import { runCli } from '../../support/testHost.js';
import { AttackedHost } from './attackedHost.js';

describe('attack: tokens', () => {
  let attacked: AttackedHost;
  beforeAll(async () => {
    attacked = await AttackedHost.start(['--ahp']);
  });
  afterAll(() => attacked.dispose());

  it('a removed token keeps no socket of the AHP gateway, not even a silent one', async () => {
    const { ahp } = JSON.parse(attacked.host.firstLine) as { ahp: { url: string } };
    await attacked.during('60 silent sockets of a removed token', async () => {
      const silent = await Promise.all(Array.from({ length: 60 }, () => AhpTestClient.open(ahp.url)));
      expect(await runCli(['token', 'rm', 'VS Code', '--state-dir', attacked.stateDir])).toMatchObject({ code: 0 });
      const closed = await Promise.all(silent.map((client) => client.closed));
      expect(new Set(closed.map(({ code }) => code))).toEqual(new Set([4401]));
    });
  });
});
