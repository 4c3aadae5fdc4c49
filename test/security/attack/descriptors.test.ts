import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawClient } from '../../support/rawClient.js';
import { closed } from '../../support/socketEvents.js';
import { rawSession } from '../../support/testHost.js';
import { AttackedHost } from './attackedHost.js';

const DESCRIPTORS = 1_024;

// 2026-11-16: other systems have no ulimit of descriptors that a shell can set for one process.
describe.skipIf(process.platform === 'win32')('attack: descriptors', () => {
  let attacked: AttackedHost;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    attacked = await AttackedHost.start([], {}, { descriptors: DESCRIPTORS });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await attacked.dispose();
  });

  it('1,100 bare connects at a limit of 1,024: the host continues, files can be opened, and the log says so once', async () => {
    let log = '';
    attacked.host.process.stderr?.on('data', (chunk) => {
      log += String(chunk);
    });
    await attacked.during('1,100 bare connects at 1,024 descriptors', async () => {
      const { hostname, port } = attacked.host.url;
      for (let n = 0; n < 1_100; n++) {
        const socket = connect(Number(port), hostname);
        sockets.push(socket);
        socket.on('error', () => {});
        await Promise.race([once(socket, 'connect'), closed(socket)]).catch(() => {});
      }
      // Each of them opens files, and a new client connects.
      const client = await RawClient.open(attacked.host);
      await client.request('initialize', { protocolVersion: 1, clientId: 'newcomer' });
      for (let n = 0; n < 10; n++) {
        const session = await rawSession([client]);
        await client.act({ type: 'session/turnStarted', session, turnId: 't', userMessage: { text: 'hello' } });
        await client.nextAction(session, 'session/turnComplete');
      }
      await client.end();
    });
    expect(attacked.host.process.exitCode).toBeNull();
    expect(log.split('\n').filter((line) => line.includes('without a token')).length).toBe(1);
  });

  it('1,100 clients with a token at a limit of 1,024: the excess is refused, and files can be opened', async () => {
    await attacked.during('1,100 clients at 1,024 descriptors', async () => {
      const owner = await RawClient.open(attacked.host);
      await owner.request('initialize', { protocolVersion: 1, clientId: 'owner' });
      const clients: RawClient[] = [];
      for (let n = 0; n < 1_100; n++) {
        const client = await RawClient.open(attacked.host).catch(() => undefined);
        if (client) clients.push(client);
      }
      expect(clients.length).toBeGreaterThan(300);
      expect(clients.length).toBeLessThan(DESCRIPTORS);
      for (let n = 0; n < 10; n++) {
        const session = await rawSession([owner]);
        await owner.act({ type: 'session/turnStarted', session, turnId: 't', userMessage: { text: 'hello' } });
        await owner.nextAction(session, 'session/turnComplete');
      }
      await Promise.all([owner, ...clients].map((client) => client.end()));
    });
  });
});
