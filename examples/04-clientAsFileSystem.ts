// A client that keeps its sessions in a Map: the host stores nothing of them, and another host continues with them.
import { deepEqual, equal } from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type HostClient } from '@agenthost/client';
import { ended, exampleHost } from './parts/exampleHost.ts';
import { mapSessionFs } from './parts/mapSessionFs.ts';

/** Each session's files, by its URI. A real program would store them. */
const sessions = new Map<string, Parameters<typeof mapSessionFs>[0]>();

const createSessionFsHandler = (uri: string) => {
  const files = sessions.get(uri) ?? new Map();
  sessions.set(uri, files);
  return mapSessionFs(files);
};

async function withHost(work: (client: HostClient) => Promise<void>): Promise<void> {
  const { url, token, stateDir, close } = await exampleHost();
  const where = { initialCwd: tmpdir(), sessionStatePath: '/state', conventions: 'posix' } as const;
  // A host knows none of them when it starts: the client says which there are.
  const sessionFs = { ...where, sessions: [...sessions.keys()], createSessionFsHandler };
  const client = await connect({ url, token, sessionFs });
  await work(client);
  client.close();
  deepEqual(await readdir(join(stateDir, 'session-state')), [], 'the host kept a session itself');
  await close();
}

await withHost(async (client) => {
  const session = await client.createSession({ provider: 'mock' });
  await session.ready();
  await ended(session, await session.send('hello'));
});

await withHost(async (client) => {
  const { items } = await client.listSessions();
  deepEqual(
    items.map(({ resource }) => resource),
    [...sessions.keys()],
  );
  const session = await client.openSession(items[0]?.resource ?? '');
  equal(session.confirmed.value.turns.length, 1);
  await ended(session, await session.send('hello'));
  equal(session.confirmed.value.turns.length, 2);
});

console.log(`kept in a Map: ${[...sessions].map(([uri, files]) => `${uri} (${files.size} files)`).join(', ')}`);
