import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../test/support/cleanups.js';
import { postgresOfFile } from '../../../test/support/storage/postgresOfFile.js';
import { runCli, spawnHost, startTestHost } from '../../../test/support/testHost.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

const asUser = (address: string, user: string) => address.replace('agenthost@', `${user}@`);
const nameOf = (address: string) => new URL(address).pathname.slice(1);
const root = (sql: string) => postgres.server.query(postgres.server.urlOf(), sql);

async function serve(database: string, env: Readonly<Record<string, string>> = {}) {
  const stateDir = await cleanups.folder();
  return runCli(['serve', '--state-dir', stateDir, '--port', '0'], { AGENTHOST_DATABASE: database, ...env });
}

async function problems(database: string): Promise<string[]> {
  const stateDir = await cleanups.folder();
  const { stdout } = await runCli(['doctor', '--json', '--state-dir', stateDir, '--database', database]);
  const { findings } = JSON.parse(stdout) as { findings: { check: string; level: string; what: string }[] };
  return findings.flatMap(({ check, level, what }) => (check === 'database' && level === 'problem' ? [what] : []));
}

/** A database with the tables of a host. */
async function used(): Promise<string> {
  const database = await postgres.server.newDatabase();
  await (await startTestHost({ database })).dispose();
  return database;
}

async function readOnly(database: string, isOn: boolean): Promise<void> {
  const name = nameOf(database);
  await root(`alter database ${name} set default_transaction_read_only = ${isOn ? 'on' : 'off'}`);
  // It counts for new connections.
  await root(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
}

describe('agenthost serve says in two lines why it can not use a database', () => {
  it('that a newer version has upgraded', async () => {
    const database = await used();
    await postgres.server.query(database, 'update agenthost.schema_version set version = 99, min_host = 98');
    const { code, stderr } = await serve(database);
    expect({ code, lines: stderr.split('\n') }).toEqual({
      code: 3,
      lines: [
        expect.stringContaining('was upgraded by a newer agenthost (schema 99, for hosts that know 98; this one knows'),
        'Update agenthost on this machine.',
        '',
      ],
    });
  });

  it('that can only be read, with and without tables', async () => {
    for (const database of [await used(), await postgres.server.newDatabase()]) {
      await readOnly(database, true);
      const said = 'The database can only be read: it is a standby, or writing is switched off.';
      const whatToDo = 'Give the address of the server that takes writes.';
      expect(await serve(database)).toMatchObject({ code: 3, stderr: `${said}\n${whatToDo}\n` });
      expect(await problems(database)).toEqual([said.replace('The database', 'It')]);
    }
  });

  it('where the user may make no tables', async () => {
    await root('create role guest login');
    const database = asUser(await postgres.server.newDatabase(), 'guest');
    const { code, stderr } = await serve(database);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^This user may not make the tables of agenthost: .*\nMake it the owner of the database: /);
    expect(await problems(database)).toEqual(['This user may not make the tables of agenthost in it.']);
  });

  it('that has no connection left', async () => {
    await root('create role crowded login connection limit 0');
    const { code, stderr } = await serve(asUser(await postgres.server.newDatabase(), 'crowded'));
    expect(code).toBe(3);
    expect(stderr).toMatch(/has no connection left: too many connections .*\nRaise max_connections, /);
  });
});

describe('a password of any characters', () => {
  const PASSWORD = `p@s:s/w?o#r%d &"'\\ü€`;

  /** The address of a database that asks this user for the password. */
  async function guarded(): Promise<string> {
    await root(`create role odd login superuser password '${PASSWORD.replaceAll("'", "''")}'`);
    const database = asUser(await postgres.server.newDatabase(), 'odd');
    // In the folder of its data.
    await root(`copy (select 'host all odd 127.0.0.1/32 scram-sha-256' union all select 'host all all 127.0.0.1/32 trust')
      to program 'cat > pg_hba.conf'; select pg_reload_conf()`);
    const isAsked = () => serve(database, { PGPASSWORD: 'wrong' }).then(({ stderr }) => stderr);
    await expect.poll(isAsked, { timeout: 20_000 }).toContain('refuses this user');
    return database;
  }

  it('works encoded in the address, in PGPASSWORD and in .pgpass, and is told of where it is missing', async () => {
    const database = await guarded();
    const encoded = database.replace('odd@', `odd:${encodeURIComponent(PASSWORD)}@`);
    const folder = await cleanups.folder();
    const passFile = join(folder, 'pgpass');
    const escaped = PASSWORD.replaceAll('\\', '\\\\').replaceAll(':', '\\:');
    await writeFile(passFile, `# one\nother:*:*:odd:no\n127.0.0.1:*:${nameOf(database)}:odd:${escaped}\n`, {
      mode: 0o600,
    });
    for (const [address, env] of [
      [encoded, {}],
      [database, { PGPASSWORD: PASSWORD }],
      [database, { PGPASSFILE: passFile }],
    ] as const) {
      const stateDir = await cleanups.folder();
      const host = await spawnHost(stateDir, undefined, { AGENTHOST_DATABASE: address, ...env });
      await host.kill('SIGTERM');
      expect(host.errors()).not.toMatch(/warning|password/i);
    }
    // It ends at once: nothing waits for the server to give up.
    const { code, stderr } = await serve(database, { PGPASSFILE: join(folder, 'none') });
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining('asks for a password, and there is none.'),
    });
    const raw = await serve(database.replace('odd@', `odd:${PASSWORD}@`));
    expect(raw).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('in a password are encoded there (@ is %40)'),
    });
  });
});

describe('a host whose database becomes read-only', () => {
  it('refuses what would be stored with the reason, reads on, and goes on when it can write again', async () => {
    const database = await postgres.server.newDatabase();
    const host = await startTestHost({ database });
    cleanups.push(() => host.dispose());
    const client = await host.connect();
    const session = await client.createSession({ provider: 'mock' });
    await session.ready();
    await readOnly(database, true);
    const why = 'the database can only be read at the moment';
    await expect(client.createSession({ provider: 'mock' })).rejects.toThrow(why);
    await expect(session.rename('never')).rejects.toThrow();
    const other = await host.connect();
    expect((await other.openSession(session.uri)).confirmed.value.summary.title).toBe('');
    await readOnly(database, false);
    await expect.poll(() => session.rename('again').then(() => 'stored', String)).toBe('stored');
  });
});
