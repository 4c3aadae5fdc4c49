import { describe, expect, it } from 'vitest';
import { RawClient } from '../../../../test/support/rawClient.js';
import { TestPostgres } from '../../../../test/support/storage/postgres.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { rawSession, startTestHost } from '../../../../test/support/testHost.js';
import { TokenFile } from '../../src/server/access/tokenFile.js';

const postgres = postgresOfFile();

type Raw = Awaited<ReturnType<Awaited<ReturnType<typeof startTestHost>>['raw']>>;

async function say(client: Raw, session: string, turnId: string, text = `echo ${turnId}`) {
  client.dispatch({ type: 'session/turnStarted', session, turnId, userMessage: { text } });
  await client.nextEnvelope(
    ({ action }) => action.type === 'session/turnComplete' && action.turnId === turnId,
    'the end of the turn',
  );
}

interface Listed {
  readonly items: readonly { readonly resource: string; readonly title: string; readonly status: string }[];
  readonly total: number;
  readonly snippets?: Record<string, string>;
}

describe('a host on a database', () => {
  it('lists, searches and opens its sessions after a restart on another machine', async () => {
    const url = await postgres.server.newDatabase();
    const first = await startTestHost({ database: url });
    const alice = await first.raw('alice');
    const session = await rawSession([alice]);
    await say(alice, session, 'one', 'echo a needle in the hay');
    const removed = await rawSession([alice]);
    await say(alice, removed, 'two');
    await alice.request('disposeSession', { session: removed });
    const empty = `mock:/${crypto.randomUUID()}`;
    await alice.request('createSession', { session: empty, provisional: true });
    expect((await alice.request<Listed>('listSessions', {})).items.map(({ resource }) => resource)).toEqual([session]);
    const { turns } = await alice.stateOf(session);
    await first.dispose();

    const second = await startTestHost({ database: url });
    const bob = await second.raw('bob');
    const listed = await bob.request<Listed>('listSessions', {});
    expect(listed).toMatchObject({ items: [{ resource: session, status: 'idle' }], total: 1 });
    const found = await bob.request<Listed>('listSessions', { filter: { text: 'needl' } });
    expect(found.snippets?.[session]).toContain('⟨needle⟩');
    expect((await bob.stateOf(session)).turns).toEqual(turns);
    await expect(bob.stateOf(empty)).rejects.toThrow('no session');
    // The numbers of envelopes go on above those of the first host.
    await say(bob, session, 'three');
    expect((await bob.stateOf(session)).turns.map(({ id }) => id)).toEqual(['one', 'three']);
    expect(second.token).toBe(first.token);
    // Commands on this machine find it where they always do.
    expect(await new TokenFile(second.stateDir).read()).toBe(second.token);
    await second.dispose();
  });

  it('finds the words of forks and of imported sessions', async () => {
    const host = await startTestHost({ database: await postgres.server.newDatabase() });
    const alice = await host.raw('alice');
    const session = await rawSession([alice]);
    await say(alice, session, 'one', 'echo a needle in the hay');
    await alice.request('forkSession', { source: session, session: 'mock:/fork' });
    const { turns } = await alice.stateOf(session);
    await alice.request('importSession', { session: 'mock:/import', turns });
    const found = await alice.request<Listed>('listSessions', { filter: { text: 'needle' } });
    const expected = [session, 'mock:/fork', 'mock:/import'].toSorted();
    expect(found.items.map(({ resource }) => resource).toSorted()).toEqual(expected);
    await host.dispose();
  });

  it('accepts the tokens of the database, and disconnects a token that is removed elsewhere', async () => {
    const url = await postgres.server.newDatabase();
    const [first, second] = [await startTestHost({ database: url }), await startTestHost({ database: url })];
    const token = await first.host.deviceTokens.add('phone', 'viewer');
    const open = () => RawClient.open({ url: second.url, token });
    await expect
      .poll(
        () =>
          open()
            .then((client) => client.end().then(() => true))
            .catch(() => false),
        { timeout: 20_000 },
      )
      .toBe(true);
    const phone = await open();
    await first.host.deviceTokens.remove('phone');
    expect(await phone.closed).toMatchObject({ code: 4401 });
    for (const host of [first, second]) await host.dispose();
  });

  it('tells its own figures at each host, to one token for metrics, which is in no table that older hosts read', async () => {
    const url = await postgres.server.newDatabase();
    const hosts = [
      await startTestHost({ database: url, place: 'attic' }),
      await startTestHost({ database: url, place: 'cellar' }),
    ];
    const [first, second] = hosts;
    if (!first || !second) throw new Error('two hosts were started');
    const token = await first.host.deviceTokens.addForMetrics('prometheus');
    const headers = { authorization: `Bearer ${token}` };
    const read = async ({ url: of }: { readonly url: URL }) => fetch(new URL('/metrics', of), { headers });
    for (const [n, place] of ['attic', 'cellar'].entries()) {
      const host = hosts[n] ?? first;
      await expect.poll(async () => (await read(host)).status, { timeout: 10_000 }).toBe(200);
      const text = await (await read(host)).text();
      expect(text).toMatch(
        new RegExp(`^agenthost_info\\{.*host="${host.host.instanceId}",place="${place}"\\} 1$`, 'm'),
      );
    }
    const [added] = await first.host.deviceTokens.list();
    expect(added).toMatchObject({ name: 'prometheus', role: 'viewer', only: 'metrics' });
    await expect(RawClient.open({ url: second.url, token })).rejects.toThrow();
    const rotated = await second.host.deviceTokens.rotate('prometheus');
    await expect.poll(async () => (await read(first)).status, { timeout: 10_000 }).toBe(401);
    headers.authorization = `Bearer ${rotated}`;
    await expect.poll(async () => (await read(first)).status, { timeout: 10_000 }).toBe(200);
    await second.host.deviceTokens.remove('prometheus');
    await expect.poll(async () => (await read(first)).status, { timeout: 10_000 }).toBe(401);
    for (const host of hosts) await host.dispose();
  });

  it('[FEN6] tells its clients while the database does not answer, and accepts what they sent once when it is back', async () => {
    const server = await TestPostgres.start();
    const host = await startTestHost({ database: await server.newDatabase() });
    try {
      const alice = await host.raw('alice');
      const session = await rawSession([alice]);
      const told = (done: number) =>
        alice.next(({ params }) => {
          const { notification } = params ?? {};
          return (
            notification?.type === 'notify/progress' && notification.token === 'database' && notification.done === done
          );
        });
      await server.stop('SIGQUIT');
      const sent = alice.dispatch({ type: 'session/titleChanged', session, title: 'Sent while it was away' });
      const { params } = await told(0);
      expect(params?.notification).toMatchObject({ message: expect.stringContaining("isn't answering") });
      expect(alice.envelopes.filter(({ origin }) => origin?.clientSeq === sent)).toEqual([]);
      await server.run();
      await told(1);
      expect((await alice.echo(sent)).rejection).toBeUndefined();
      expect(alice.envelopes.filter(({ origin }) => origin?.clientSeq === sent)).toHaveLength(1);
    } finally {
      await server.run();
      await host.dispose();
      await server.dispose();
    }
  });

  it('lists, changes and revokes devices at any host, and pairs them at another one than where their code was made', async () => {
    const url = await postgres.server.newDatabase();
    const [first, second] = [await startTestHost({ database: url }), await startTestHost({ database: url })];
    const [owner, other] = [await first.connect(), await second.connect()];
    const { pairing, code, words } = await owner.devices.createPairing({ role: 'approver' });
    const headers = { authorization: `Pair ${code}`, 'agenthost-device': 'phone', 'agenthost-user': 'Mira' };
    const offer = await fetch(new URL('/pair', second.url), { headers });
    expect(await offer.json()).toMatchObject({ role: 'approver', words });
    expect(await owner.devices.fetchPairing(pairing)).toMatchObject({ state: 'scanned', name: 'phone' });
    const redeem = (host: typeof first) => fetch(new URL('/pair', host.url), { method: 'POST', headers });
    const tries = await Promise.all(Array.from({ length: 20 }, (_, n) => redeem(n % 2 ? first : second)));
    expect(tries.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 410)]);
    const won = tries.find(({ status }) => status === 200) as Response;
    const { token, device } = (await won.json()) as { token: string; device: { id: string } };
    expect(await owner.devices.fetchPairing(pairing)).toMatchObject({ state: 'connected', name: 'phone' });
    await expect
      .poll(() => second.connect({ token }).then(({ role }) => role, String), { timeout: 20_000 })
      .toBe('approver');
    const phone = await second.connect({ token });
    expect((await owner.devices.list()).items).toMatchObject([{ name: 'phone', user: 'Mira', role: 'approver' }]);
    await owner.devices.update({ device: device.id, role: 'viewer' });
    await expect.poll(() => phone.role, { timeout: 20_000 }).toBe('viewer');
    expect((await other.devices.list()).items).toMatchObject([{ user: 'Mira', role: 'viewer' }]);
    await other.devices.remove(device.id);
    await expect.poll(() => phone.connection.value.state, { timeout: 20_000 }).toBe('closed');
    for (const host of [first, second]) await host.dispose();
  });

  it('says in a sentence what to do when there is no database', async () => {
    const start = (database: string, env = {}) => startTestHost({ database, env: { ...process.env, ...env } });
    await expect(start('mysql://x')).rejects.toThrow(/is not the address of a database/);
    await expect(start('postgres://u:secret@127.0.0.1:1/x')).rejects.toThrow(
      /^The database postgres:\/\/u:…@127.0.0.1:1\/x can't be reached: .*ECONNREFUSED.*Start PostgreSQL/,
    );
    await expect(start(postgres.server.urlOf('nothing-here'))).rejects.toThrow(/does not exist.*createdb/);
    await expect(start('postgres://?service=nowhere', { PGSERVICEFILE: '/nonexistent' })).rejects.toThrow(
      /No service file has a service "nowhere"/,
    );
  });
});
