import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type HostProcess, spawnHost, temporaryFolder } from '../../support/testHost.js';
import { call, overStdio, started } from './support.js';

let stateDir = '';
let host: HostProcess | undefined;
afterEach(async () => {
  await host?.kill('SIGKILL').catch(() => {});
  await rm(stateDir, { recursive: true, force: true });
});

describe('agenthost mcp while its host is killed and started again', () => {
  it('goes on with the new one, at another port, and carries out once what was asked meanwhile', async () => {
    stateDir = await temporaryFolder();
    host = await spawnHost(stateDir);
    const { client } = await overStdio({ stateDir });
    try {
      const { session } = await started(client, 'slow');
      const waiting = call(client, 'wait_for_turn', { session, seconds: 60 });
      await call(client, 'read_session', { session });
      await host.kill('SIGKILL');
      const sent = call(client, 'send_message', { session, text: 'hello', kind: 'queued' });
      host = await spawnHost(stateDir);
      await sent;
      // The turn ended with the host; the message began the next one.
      expect(await waiting).toMatchObject({ status: 'ended' });
      await call(client, 'wait_for_turn', { session });
      const { turns } = await call(client, 'read_session', { session });
      expect(turns).toHaveLength(2);
      expect(turns[1]).toMatchObject({ state: 'complete', text: expect.stringContaining('hello') });
      const restarted = host;
      const many = Array.from({ length: 20 }, (_, n) =>
        call(client, 'create_session', { agent: 'mock', message: `echo ${n}` }),
      );
      await Promise.race(many);
      await restarted.kill('SIGKILL');
      host = await spawnHost(stateDir);
      const made = await Promise.all(many);
      expect(made.every(({ session: one }) => one !== undefined)).toBe(true);
      expect((await call(client, 'list_sessions')).total).toBe(21);
    } finally {
      await client.close();
    }
  });
});
