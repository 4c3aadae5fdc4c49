// A client that keeps its sessions in a Map: the host stores nothing of them, and another host goes on with them.
// Run it with `node examples/sessionsInAMap.ts` after `npm run build`.
import { deepEqual, equal } from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Host as Connection, connect, type Session } from '@agenthost/client';
import { Host, MockAgent } from '@agenthost/host';
import { mapSessionFs } from './mapSessionFs.ts';

/** Each session's files, by its URI. A program that wants to keep them puts this wherever it likes. */
const sessions = new Map<string, Parameters<typeof mapSessionFs>[0]>();

const createSessionFsHandler = (uri: string) => {
  const files = sessions.get(uri) ?? new Map();
  sessions.set(uri, files);
  return mapSessionFs(files);
};

async function withHost(work: (client: Connection) => Promise<void>): Promise<void> {
  const stateDir = await mkdtemp(join(tmpdir(), 'agenthost-example-'));
  const host = await Host.start({ stateDir, agents: [new MockAgent()] });
  const sessionFs = { initialCwd: tmpdir(), sessionStatePath: '/state', conventions: 'posix' } as const;
  const client = await connect({ ...(await host.listen()), sessionFs });
  await work(client);
  client.close();
  await host.close();
  deepEqual(await readdir(join(stateDir, 'session-state')).catch(() => []), [], 'the host kept a session itself');
  await rm(stateDir, { recursive: true });
}

async function turn(session: Session): Promise<void> {
  const id = await session.send('hello');
  await new Promise<void>((resolve) => {
    const look = ({ turns }: typeof session.confirmed.value) => turns.some((turn) => turn.id === id) && resolve();
    session.confirmed.subscribe(look);
    look(session.confirmed.value);
  });
}

await withHost(async (client) => {
  const session = await client.createSession({ provider: 'mock', createSessionFsHandler });
  await session.ready();
  await turn(session);
});

await withHost(async (client) => {
  // A new host knows none of them: who keeps them says which there are.
  equal((await client.listSessions()).total, 0);
  for (const uri of sessions.keys()) await client.openSession(uri, { createSessionFsHandler });
  const { items } = await client.listSessions();
  deepEqual(
    items.map(({ resource }) => resource),
    [...sessions.keys()],
  );
  const session = await client.openSession(items[0]?.resource ?? '', { createSessionFsHandler });
  equal(session.confirmed.value.turns.length, 1);
  await turn(session);
  equal(session.confirmed.value.turns.length, 2);
});

console.log(`kept in a Map: ${[...sessions].map(([uri, files]) => `${uri} (${files.size} files)`).join(', ')}`);
