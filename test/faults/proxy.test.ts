import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { request } from 'node:http';
import { connect, type HostClient, type SessionHandle } from '@agenthost/client';
import { afterEach, describe, expect, it } from 'vitest';
import { RawClient } from '../support/rawClient.js';
import { type HostProcess, spawnHost, temporaryFolder } from '../support/testHost.js';
import { until } from '../support/until.js';
import { amount, LONG_MS, PATIENCE_MS } from './support/amount.js';
import { ReverseProxy, type ReverseProxyOptions } from './support/reverseProxy.js';

const TURNS = amount('proxy_turns', { smoke: 8, full: 60 });

describe('behind a reverse proxy', { timeout: LONG_MS }, () => {
  let stateDir: string;
  let proxy: ReverseProxy;
  let host: HostProcess;
  const clients: HostClient[] = [];

  const start = async (options: ReverseProxyOptions = {}) => {
    stateDir = await temporaryFolder();
    proxy = await ReverseProxy.start(options);
    host = await spawnHost(stateDir, ['--state-dir', stateDir, '--public-url', proxy.url.href]);
    proxy.forwardTo(host.url);
  };
  const open = async () => {
    const client = await connect({ url: proxy.url, token: host.token, random: () => 0.01 });
    clients.push(client);
    return client;
  };
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await host.kill('SIGKILL');
    await proxy.close();
    await rm(stateDir, { recursive: true, force: true });
  });

  const ended = (session: SessionHandle, id: string) =>
    until(session.confirmed, ({ turns }) => turns.some((turn) => turn.id === id), `turn ${id}`, PATIENCE_MS);
  const ids = (session: SessionHandle) => session.confirmed.value.turns.map(({ id }) => id);

  /** Two clients; `disturb` happens in the middle of each turn. */
  async function talk(disturb: (turn: number) => void | Promise<void>): Promise<void> {
    const hers = await (await open()).createSession({ provider: 'mock' });
    await until(hers.confirmed, ({ lifecycle }) => lifecycle === 'ready', 'the session', PATIENCE_MS);
    const his = await (await open()).openSession(hers.uri);
    const sent: string[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const id = `t${turn}`;
      const sending = hers.send(`words ${turn}`, id);
      await disturb(turn);
      await sending;
      sent.push(id);
      await Promise.all([ended(hers, id), ended(his, id)]);
    }
    expect([ids(hers), ids(his)]).toEqual([sent, sent]);
  }

  it('that adds its headers, everything works, and the link leads to the proxy', async () => {
    await start();
    expect(JSON.parse(host.firstLine)).toMatchObject({ link: expect.stringContaining(proxy.url.href) });
    const page = request(new URL('/', proxy.url)).end();
    const [response] = await once(page, 'response');
    expect(response.statusCode).toBe(200);
    response.resume();
    await talk(() => {});
  });

  it('that cuts idle sockets, clients reconnect and lose nothing', async () => {
    await start({ idleMs: 150 });
    const client = await open();
    const session = await client.createSession({ provider: 'mock' });
    await until(session.confirmed, ({ lifecycle }) => lifecycle === 'ready', 'the session', PATIENCE_MS);
    for (let cut = 0; cut < 3; cut++) {
      await until(client.connection, ({ state }) => state !== 'connected', 'the cut', PATIENCE_MS);
      await session.send('hello', `t${cut}`);
      await ended(session, `t${cut}`);
    }
    expect(ids(session)).toEqual(['t0', 't1', 't2']);
  });

  it("that buffers the host's data, all of it arrives in order", async () => {
    await start({ bufferMs: 40 });
    await talk(() => {});
  });

  it('that dies in the middle of a frame, nothing is lost or doubled', async () => {
    await start();
    await talk((turn) => {
      proxy.dieInTheNextFrame(1 + (turn % 40));
      if (turn % 3 === 0) proxy.cut();
    });
  });

  it('all clients have one address: wrong tokens of one do not block the others', async () => {
    await start();
    let isOver = false;
    let refused = 0;
    const attack = async () => {
      while (!isOver) {
        await RawClient.open({ url: proxy.url, token: 'wrong'.repeat(8) }).catch(() => undefined);
        refused++;
      }
    };
    const attackers = Array.from({ length: 20 }, attack);
    await talk(() => {});
    for (let n = 0; n < 10; n++) (await open()).close();
    isOver = true;
    await Promise.all(attackers);
    expect(refused).toBeGreaterThan(20);
  });

  it('a request for another name than that of the proxy or the host is refused', async () => {
    await start();
    const sent = request(proxy.url, { headers: { host: 'elsewhere.example.org', 'x-forwarded-host': proxy.url.host } });
    const [response] = await once(sent.end(), 'response');
    response.resume();
    expect(response.statusCode).toBeGreaterThanOrEqual(400);
  });
});
