import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../test/support/cleanups.js';
import { postgresOfFile } from '../../../test/support/storage/postgresOfFile.js';
import { Terminal } from '../../../test/support/terminal.js';
import { startTestHost, type TestHost } from '../../../test/support/testHost.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

it('[PLACE1] [PLACE3] the terminal shows where a session lives, and when its machine is away', async () => {
  const database = await postgres.server.newDatabase();
  const start = async (place: string): Promise<TestHost> => {
    const host = await startTestHost({ database, place, leaseMs: 1_000 });
    cleanups.push(() => host.dispose());
    return host;
  };
  const [north, south] = [await start('north'), await start('south')];
  const client = await north.connect();
  const session = await client.createSession({ provider: 'mock' });
  await session.ready();
  await session.rename('The first one');
  const run = (...args: string[]) => {
    const env = { AGENTHOST_HOME: south.stateDir };
    const terminal = Terminal.inShell(args, { env, cwd: south.stateDir, columns: 200, rows: 40 });
    cleanups.push(() => terminal.dispose());
    return terminal;
  };
  const attached = run('attach', session.uri);
  await attached.until(`north, ${hostname()} ${north.host.instanceId.slice(0, 8)}`, 'Write a message');
  await north.host.close();
  await attached.until('The first one (away)', '· north is away', 'Its machine north is away: read on, or fork it (f)');
  const listed = run('ls');
  await listed.until(/The first one {2}away/, 'ended with 0');
  expect(await (await south.connect()).openSession(session.uri)).toBeDefined();
});
