import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MockAgent, ShellAgent } from '@agenthost/host';
import type { BrowseDirectoryResult, Role } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import { RawClient } from '../../../../test/support/rawClient.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { startTestHost, type TestHost } from '../../../../test/support/testHost.js';
import { Link, type LinkEvents } from '../../src/cluster/links/link.js';
import { silentLog } from '../../src/hostLog.js';
import { withPlace } from '../../src/storage/placeUri.js';
import { madeBy, message, startAt } from './support/placedHosts.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();
const start = (database: string, place: string, options = {}) => startAt(cleanups, database, place, options);

const at = (place: string, path: string) => withPlace(pathToFileURL(path).href, place);

/** By session, the place and the owner that the database has. */
async function owners(database: string): Promise<Record<string, string>> {
  type Row = { id: string; place: string; owner: string | null };
  const rows = await postgres.server.query<Row>(database, 'select id, place, owner from agenthost.session');
  return Object.fromEntries(rows.map(({ id, place, owner }) => [id, `${place} ${owner}`]));
}

const idOf = (session: string) => session.slice(session.indexOf('/') + 1);
const livesAt = (place: string, { host }: TestHost) => `${place} ${host.instanceId}`;

describe('[PLACE2] a new session', () => {
  it('is made at the place that its folder names, and can be used at once from anywhere', async () => {
    const database = await postgres.server.newDatabase();
    const north = await start(database, 'North Hall');
    const south = await start(database, 'south');
    const folder = await cleanups.folder();
    const bob = await south.raw('bob');
    const session = `mock:/${crypto.randomUUID()}`;
    // The next request does not wait for the answer to this one.
    const creating = bob.request('createSession', { session, workingDirectory: at('North Hall', folder) });
    const state = await bob.stateOf(session);
    await creating;
    expect(state.summary.workingDirectory).toBe(pathToFileURL(folder).href);
    if (state.lifecycle === 'creating') await bob.nextAction(session, 'session/ready');
    await bob.act(message(session, 'first'));
    await bob.nextAction(session, 'session/turnComplete');
    expect((await owners(database))[idOf(session)]).toBe(livesAt('North Hall', north));
    await expect
      .poll(async () => (await bob.stateOf(session)).summary.metadata, { timeout: 10_000 })
      .toMatchObject({ remoteAgentHost: 'North Hall' });
    // Programs write the authority of a URI in lower case.
    const other = await madeBy(bob, { workingDirectory: at('north hall', folder) });
    expect((await owners(database))[idOf(other)]).toBe(livesAt('North Hall', north));
    // Its own place by name, and without one.
    const named = await madeBy(bob, { workingDirectory: at('south', folder) });
    const unnamed = await madeBy(bob);
    const found = await owners(database);
    expect([found[idOf(named)], found[idOf(unnamed)]]).toEqual([livesAt('south', south), livesAt('south', south)]);
  });

  it('is refused where nobody of the place runs, with what to do', async () => {
    const database = await postgres.server.newDatabase();
    await start(database, 'north');
    const south = await start(database, 'south');
    const bob = await south.raw('bob');
    const session = `mock:/${crypto.randomUUID()}`;
    const creating = bob.request('createSession', { session, workingDirectory: 'file://east/src' });
    await expect(creating).rejects.toThrow(
      'the place east has no host that takes sessions now: start one on a machine that has the folder, or choose a folder of another place (north, south)',
    );
    await expect(bob.stateOf(session)).rejects.toThrow('no session');
    const missing = bob.request('createSession', { session, workingDirectory: 'file://north/no/such/folder' });
    await expect(missing).rejects.toThrow('file:///no/such/folder does not exist');
    await expect(bob.request('browseDirectory', { uri: 'file://east/src' })).rejects.toThrow(
      'the place east has no host',
    );
    for (const uri of ['file://%zz/src', 'file://a b/src', 'http://north/src']) {
      await expect(bob.request('createSession', { session, workingDirectory: uri })).rejects.toThrow(
        /place|file|exist/,
      );
    }
  });

  it('is made once, when it is asked for at two places at the same time', async () => {
    const database = await postgres.server.newDatabase();
    const [north, south] = [await start(database, 'north'), await start(database, 'south')];
    const [alice, bob] = [await north.raw('alice'), await south.raw('bob')];
    const folder = await cleanups.folder();
    for (let round = 0; round < 5; round++) {
      const session = `mock:/${crypto.randomUUID()}`;
      // Each at the other's place.
      const outcomes = await Promise.all(
        (
          [
            [alice, 'south'],
            [bob, 'north'],
            [bob, 'south'],
          ] as const
        ).map(([client, place]) =>
          client.request('createSession', { session, workingDirectory: at(place, folder) }).then(
            () => 'created',
            (error: Error) => error.message,
          ),
        ),
      );
      expect(outcomes.toSorted((a, b) => a.length - b.length)).toEqual([
        'created',
        ...Array(2).fill(expect.stringContaining(`session ${session} already exists`)),
      ]);
    }
  });

  it('goes to the host that has the agent, and of those to the one with the fewest turns at work', async () => {
    const database = await postgres.server.newDatabase();
    const one = await start(database, 'north', { agents: [new MockAgent(), new ShellAgent()] });
    const two = await start(database, 'north', { agents: [new MockAgent()] });
    const south = await start(database, 'south', { agents: [new MockAgent()] });
    const [alice, bob] = [await one.raw('alice'), await two.raw('bob')];
    await expect.poll(() => agentsOf(two), { timeout: 10_000 }).toContain('shell available');
    const shell = await madeBy(bob, {}, 'shell');
    expect((await owners(database))[idOf(shell)]).toBe(livesAt('north', one));
    // Nothing at work: where the client is.
    const first = await madeBy(alice);
    expect((await owners(database))[idOf(first)]).toBe(livesAt('north', one));
    alice.dispatch(message(first, 'asked', 'permission'));
    await alice.nextAction(first, 'session/permissionRequest');
    // The index is written a moment later.
    await expect
      .poll(
        async () => {
          const next = await madeBy(alice);
          return (await owners(database))[idOf(next)];
        },
        { timeout: 10_000 },
      )
      .toBe(livesAt('north', two));
    // Another place does not lend its agents.
    await expect.poll(() => agentsOf(south), { timeout: 10_000 }).toContain('shell available');
    const carol = await south.raw('carol');
    await expect(carol.request('createSession', { session: `shell:/${crypto.randomUUID()}` })).rejects.toThrow(
      'no agent for provider shell at the place south: install it there, or choose a folder of another place (north)',
    );
    await expect(carol.request('createSession', { session: `nobody:/${crypto.randomUUID()}` })).rejects.toThrow(
      'no agent for provider nobody',
    );
  });
});

async function agentsOf(host: TestHost): Promise<string[]> {
  const client = await host.connect();
  return client.root.state.value.agents.map(({ provider, availability }) => `${provider} ${availability.state}`);
}

it('a session that nobody has is opened by a host of its place that has its agent', async () => {
  const database = await postgres.server.newDatabase();
  const both = () => [new MockAgent(), new ShellAgent()];
  const first = await start(database, 'north', { agents: both() });
  const session = await madeBy(await first.raw('alice'), {}, 'shell');
  await first.host.close();
  const without = await start(database, 'north', { agents: [new MockAgent()] });
  const bob = await without.raw('bob');
  // Alone, it shows the session.
  expect(await bob.stateOf(session)).toMatchObject({ turns: [] });
  await without.host.close();
  const again = await start(database, 'north', { agents: [new MockAgent()] });
  const having = await start(database, 'north', { agents: both() });
  await expect.poll(() => agentsOf(again), { timeout: 10_000 }).toContain('shell available');
  const carol = await again.raw('carol');
  await carol.stateOf(session);
  expect((await owners(database))[idOf(session)]).toBe(livesAt('north', having));
  carol.dispatch(message(session, 'first', 'echo here'));
  // Its agent asks first.
  await carol.nextAction(session, 'session/toolStart');
});

describe('[PLACE4] a folder of another place', () => {
  it('is shown by a host of that place, with addresses that lead there again', async () => {
    const database = await postgres.server.newDatabase();
    await start(database, 'north');
    const south = await start(database, 'south');
    const folder = await cleanups.folder();
    await mkdir(join(folder, 'a folder'));
    await writeFile(join(folder, 'a folder', 'file'), '');
    const bob = await south.raw('bob');
    const browse = (uri: string) => bob.request<BrowseDirectoryResult>('browseDirectory', { uri });
    const [found] = (await browse(at('north', folder))).entries;
    expect(found).toMatchObject({ name: 'a folder', uri: at('north', join(folder, 'a folder')) });
    expect((await browse(found?.uri ?? '')).entries.map(({ name }) => name)).toEqual(['file']);
    const [own] = (await browse(at('south', folder))).entries;
    expect(own?.uri).toBe(at('south', join(folder, 'a folder')));
    const [plain] = (await browse(pathToFileURL(folder).href)).entries;
    expect(plain?.uri).toBe(pathToFileURL(join(folder, 'a folder')).href);
    await expect(browse('file://north/no/such/folder')).rejects.toThrow('file://north/no/such/folder does not exist');
  });

  it('is as before on a host without a database', async () => {
    const host = await startTestHost();
    cleanups.push(() => host.dispose());
    const alice = await host.raw('alice');
    const refusal = 'not a file: URI of this machine: file://north/src';
    await expect(alice.request('browseDirectory', { uri: 'file://north/src' })).rejects.toThrow(refusal);
    const session = `mock:/${crypto.randomUUID()}`;
    const creating = alice.request('createSession', { session, workingDirectory: 'file://north/src' });
    await expect(creating).rejects.toThrow(refusal);
    const local = pathToFileURL(host.stateDir).href.replace('file://', 'file://localhost');
    await alice.request('createSession', { session, workingDirectory: local });
  });
});

describe('the role of a client', () => {
  it('is checked where it is connected and where its command is carried out', async () => {
    const database = await postgres.server.newDatabase();
    const north = await start(database, 'north');
    const token = await north.host.deviceTokens.add('phone', 'viewer');
    const south = await start(database, 'south');
    const viewer = await RawClient.open({ url: south.url, token });
    cleanups.push(() => viewer.end());
    await viewer.request('initialize', { protocolVersion: 1, clientId: 'phone' });
    const folder = await cleanups.folder();
    const create = () => ({ session: `mock:/${crypto.randomUUID()}`, workingDirectory: pathToFileURL(folder).href });
    await expect(viewer.request('createSession', create())).rejects.toThrow('role driver');
    await expect(viewer.request('browseDirectory', { uri: at('north', folder) })).rejects.toThrow('role driver');
    // Another host asks in somebody's name.
    const link = await linkTo(database, north);
    const as = (role?: Role) => role && { author: { clientId: 'x' }, protocolVersion: 1, role };
    const command = (method: string, params: object, role?: Role) =>
      link.request('link.command', { method, params, ...(role && { as: as(role) }) });
    const browse = { uri: pathToFileURL(folder).href };
    for (const role of ['viewer', 'approver', 'nobody' as Role, undefined] as const) {
      await expect(command('createSession', create(), role)).rejects.toThrow('role driver');
      await expect(command('browseDirectory', browse, role)).rejects.toThrow('role driver');
    }
    await expect(command('browseDirectory', browse, 'driver')).resolves.toEqual({ entries: [] });
    await expect(command('browseDirectory', { uri: 1 }, 'driver')).rejects.toThrow('params.uri');
    await expect(command('installAgent', { provider: 'mock' }, 'owner')).rejects.toThrow('not carried out');
    await expect(command('createSession', create(), 'driver')).resolves.toBeNull();
  });

  it('does not matter for what is done on machines: agents, and a client that keeps the files', async () => {
    const database = await postgres.server.newDatabase();
    const host = await start(database, 'north');
    const alice = await host.raw('alice');
    for (const method of ['installAgent', 'removeAgent']) {
      await expect(alice.request(method, { provider: 'mock' })).rejects.toThrow(
        'agents are installed on machines: stop the host, run "agenthost agents add"',
      );
    }
    const provider = { initialCwd: '/', sessionStatePath: '/state', conventions: 'posix' };
    await expect(alice.request('sessionFs.setProvider', provider)).rejects.toThrow(
      'this host keeps its sessions in a database, with those of others: start a host without --database for this client',
    );
  });
});

/** A link to that host, as another host would make one. */
async function linkTo(database: string, { host }: TestHost): Promise<Link> {
  type Row = { url: string; link_key: string };
  const sql = `select url, link_key from agenthost.host where id = '${host.instanceId}'`;
  const [row] = await postgres.server.query<Row>(database, sql);
  if (!row) throw new Error('no such host');
  const ignore = () => {};
  const events: LinkEvents = {
    followed: ignore,
    action: ignore,
    settled: ignore,
    dropped: ignore,
    moved: ignore,
    notified: ignore,
    agents: ignore,
    closed: ignore,
  };
  const link = await Link.connect(
    { hostId: 'test', clients: 0 },
    { id: host.instanceId, url: row.url, linkKey: row.link_key },
    events,
    silentLog,
  );
  cleanups.push(async () => link.close());
  return link;
}
