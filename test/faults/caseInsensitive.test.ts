import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListSessionsResult } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalSessionStorage } from '../../packages/host/src/storage/localSessionStorage.js';
import { RawClient } from '../support/rawClient.js';
import { type HostProcess, spawnHost, temporaryFolder } from '../support/testHost.js';
import { PATIENCE_MS } from './support/amount.js';

const [UPPER, LOWER] = ['Session-With-Case', 'session-with-case'];

/**
 * An emulation: the tests can't mount a file system that folds case everywhere. A link gives one folder a second name that differs only
 * by case, and its real path has the first one, as in such a file system. What it does not show: that the second name is in no list.
 */
describe('a file system that ignores case', { timeout: PATIENCE_MS }, () => {
  let stateDir: string;
  let host: HostProcess;
  let client: RawClient;

  beforeEach(async () => {
    stateDir = await temporaryFolder();
    host = await spawnHost(stateDir);
    client = await RawClient.open(host);
    await client.request('initialize', { protocolVersion: 2, clientId: 'client' });
  });
  afterEach(async () => {
    await client.end();
    await host.kill('SIGKILL');
    await rm(stateDir, { recursive: true, force: true });
  });

  it('opens no session under two ids, and removes none under another id', async () => {
    const session = `mock:/${UPPER}`;
    await client.request('createSession', { session });
    const { lifecycle } = await client.stateOf(session);
    if (lifecycle === 'creating') await client.nextAction(session, 'session/ready');
    client.dispatch({ type: 'session/turnStarted', session, turnId: 't', userMessage: { text: 'mine' } });
    await client.nextAction(session, 'session/turnComplete');
    await symlink(UPPER, join(stateDir, 'session-state', LOWER));
    const log = join(stateDir, 'session-state', UPPER, 'events.jsonl');
    const before = await readFile(log);
    const other = `mock:/${LOWER}`;
    for (const [method, params] of [
      ['createSession', { session: other }],
      ['subscribe', { resource: other }],
      ['forkSession', { source: session, session: other }],
      ['disposeSession', { session: other }],
    ] as const) {
      const { error } = await client.ask(method, params);
      expect(error, method).toBeDefined();
    }
    expect((await readFile(log)).equals(before)).toBe(true);
    const { items } = await client.request<ListSessionsResult>('listSessions', { limit: 10 });
    expect(items.map(({ resource }) => resource)).toEqual([session]);
    client.dispatch({ type: 'session/turnStarted', session, turnId: 'u', userMessage: { text: 'still mine' } });
    await client.nextAction(session, 'session/turnComplete', (action) => action.turnId === 'u');
  });

  it('does not mistake a session that is being created for an interrupted one', async () => {
    // No log yet: creating a session removes such a folder, which here belongs to another one.
    await mkdir(join(stateDir, 'session-state', UPPER), { recursive: true });
    await writeFile(join(stateDir, 'session-state', UPPER, 'workspace.yaml'), 'id: x\n');
    await symlink(UPPER, join(stateDir, 'session-state', LOWER));
    const storage = new LocalSessionStorage({
      stateRoot: stateDir,
      listSessionIds: async function* () {},
      initialCwd: stateDir,
      durability: 'write',
      now: Date.now,
      newId: () => crypto.randomUUID(),
      onDamage: () => undefined,
    });
    await expect(storage.open(LOWER, { create: true })).rejects.toThrow('differs only by the case of its letters');
    await expect(storage.remove(LOWER)).rejects.toThrow('differs only by the case of its letters');
    expect(await readFile(join(stateDir, 'session-state', UPPER, 'workspace.yaml'), 'utf8')).toBe('id: x\n');
  });
});
