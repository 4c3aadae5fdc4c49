import { rm } from 'node:fs/promises';
import { connect, UnauthorizedError } from '@agenthost/client';
import type { Credential, ListenOptions } from '@agenthost/host';
import { createMemoryTransportPair } from '@agenthost/rpc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { DeviceTokens } from '../../packages/host/src/server/access/deviceTokens.js';
import { TokenFile } from '../../packages/host/src/server/access/tokenFile.js';
import { type AhpTestHost, startAhpHost } from '../support/ahpHost.js';
import { RawClient } from '../support/rawClient.js';
import { startTestHost, type TestHost, temporaryFolder } from '../support/testHost.js';

describe('point 4: a revoked token, over the AHP gateway', () => {
  let host: AhpTestHost;
  beforeEach(async () => {
    host = await startAhpHost();
  });
  afterEach(() => host.dispose());

  it('closes a silent socket, and no other', async () => {
    const [silent, other] = [await host.open('driver'), await host.open('viewer')];
    await host.revoke('driver');
    expect(await silent.closed).toEqual({ code: 4401, reason: 'the token was revoked' });
    await other.initialize('other', ['0.9.0']);
  });

  it('closes a silent socket whose role changes, so that it comes back with the new one', async () => {
    const silent = await host.open('driver');
    const owner = await host.connect();
    const device = (await owner.devices.list()).items.find(({ role }) => role === 'driver');
    await owner.devices.update({ device: device?.id ?? '', role: 'viewer' });
    expect(await silent.closed).toMatchObject({ code: 4409 });
  });

  it('closes a socket after its handshake, and drops its client', async () => {
    const client = await host.client('window');
    const driver = await host.connect({ clientId: 'watcher' });
    await host.revoke('driver');
    expect((await client.closed).code).toBe(4401);
    await driver.ping();
  });
});

describe('point 4: a credential inside the process', () => {
  let host: TestHost;
  let devices: DeviceTokens;
  let handOver: (credential: Credential) => void;
  const sockets: WebSocket[] = [];
  beforeEach(async () => {
    const stateDir = await temporaryFolder();
    devices = new DeviceTokens(stateDir);
    // A route that keeps what it was given, as the gateway does.
    const socketRoutes: ListenOptions['socketRoutes'] = [
      { path: '/kept', onConnection: (_transport, credential) => handOver(credential) },
    ];
    host = await startTestHost({ stateDir }, { socketRoutes });
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.terminate();
    await host.dispose();
    await rm(host.stateDir, { recursive: true, force: true });
  });

  async function credentialOf(token: string): Promise<Credential> {
    const given = new Promise<Credential>((resolve) => {
      handOver = resolve;
    });
    const socket = new WebSocket(`ws://${host.url.host}/kept`, { headers: { authorization: `Bearer ${token}` } });
    socket.on('error', () => {});
    sockets.push(socket);
    return given;
  }

  const attach = (credential?: Credential) =>
    connect({
      transport: async () => {
        const { a, b } = createMemoryTransportPair();
        host.host.attach(b, credential);
        return a;
      },
      keepAliveMs: 0,
    });

  it('is refused after the token was removed, but not while another token is added', async () => {
    const phone = await devices.add('phone', 'driver');
    await known(phone);
    const credential = await credentialOf(phone);
    const kept = await attach(credential);
    await known(await devices.add('tablet', 'driver'));
    await kept.ping();
    expect((await attach(credential)).role).toBe('driver');
    await devices.remove('phone');
    await expect.poll(() => kept.connection.value.state).toBe('closed');
    await expect(attach(credential)).rejects.toBeInstanceOf(UnauthorizedError);
  });

  it('is refused after the owner’s token was rotated', async () => {
    const credential = await credentialOf(host.token);
    const kept = await attach(credential);
    const token = await new TokenFile(host.stateDir).rotate();
    await expect.poll(() => kept.connection.value.state).toBe('closed');
    await expect(attach(credential)).rejects.toBeInstanceOf(UnauthorizedError);
    const now = await credentialOf(token);
    expect((await attach(now)).role).toBe('owner');
  });

  it('without a token continues: the program that has the host decides', async () => {
    const inProcess = await attach();
    const named = await attach({ id: 'made here', role: 'viewer', name: 'made here' });
    await new TokenFile(host.stateDir).rotate();
    await inProcess.ping();
    expect(named.role).toBe('viewer');
  });

  /** Resolves when the host knows the token. */
  async function known(token: string): Promise<void> {
    const connects = async () => {
      const client = await RawClient.open({ url: host.url, token }).catch(() => undefined);
      await client?.end();
      return client !== undefined;
    };
    await expect.poll(connects, { timeout: 20_000 }).toBe(true);
  }
});
