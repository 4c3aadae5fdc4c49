import { rm } from 'node:fs/promises';
import { ERROR_CODE } from '@agenthost/protocol';
import type { FetchPartsResult } from '@agenthost/protocol/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalSessionStorage } from '../../../packages/host/src/storage/localSessionStorage.js';
import type { RawClient } from '../../support/rawClient.js';
import { rawSession, startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';

/** A disk on which a new session waits until it is let go. */
class SlowStorage extends LocalSessionStorage {
  readonly reached = Promise.withResolvers<void>();
  readonly go = Promise.withResolvers<void>();
  slowId = '';

  constructor(stateRoot: string) {
    super({
      stateRoot,
      listSessionIds: async function* () {},
      durability: 'write',
      initialCwd: stateRoot,
      now: Date.now,
      newId: () => crypto.randomUUID(),
      onDamage: () => {},
    });
  }

  override async open(...args: Parameters<LocalSessionStorage['open']>) {
    if (args[0] === this.slowId) {
      this.reached.resolve();
      await this.go.promise;
    }
    return super.open(...args);
  }
}

/** Issue 17, point 22: a session is not unloaded while a command uses it. */
describe('a session that a command uses', () => {
  let host: TestHost;
  let stateDir: string;
  let storage: SlowStorage;
  let client: RawClient;

  beforeEach(async () => {
    stateDir = await temporaryFolder();
    storage = new SlowStorage(stateDir);
    // Room for one session and one that is being loaded: a further one evicts the first, unless that is in use.
    host = await startTestHost({ stateDir, storage, maxSessionBytes: 3 * 1024 * 1024 });
    client = await host.raw('client');
  });
  afterEach(async () => {
    storage.go.resolve();
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true });
  });

  it('[MEM1] stays in memory while it is forked', async () => {
    const source = await rawSession([client]);
    await client.act({ type: 'session/turnStarted', session: source, turnId: 't1', userMessage: { text: 'hello' } });
    await client.nextAction(source, 'session/turnComplete');
    client.notify('unsubscribe', { resource: source });
    const fork = `mock:/${crypto.randomUUID()}`;
    storage.slowId = fork.slice('mock:/'.length);
    const forked = client.ask('forkSession', { source, session: fork });
    await storage.reached.promise;
    // Another session needs room: there is none while the source is in use.
    const other = await host.raw('other');
    const refused = await other.refusal('createSession', { session: `mock:/${crypto.randomUUID()}` });
    expect(refused.code).toBe(ERROR_CODE.tooManyRequests);
    storage.go.resolve();
    expect((await forked).error).toBeUndefined();
    const page = await client.request<FetchPartsResult>('fetchParts', { session: fork, turnId: 't1', limit: 10 });
    expect(page.parts.length).toBeGreaterThan(0);
  });

  it('[MEM1] stays in memory while its turn runs, even without subscribers', async () => {
    const small = await startTestHost({ maxSessionBytes: 1 });
    const driver = await small.raw('driver');
    const session = await rawSession([driver]);
    const turn = { session, turnId: 't1' };
    await driver.act({ ...turn, type: 'session/turnStarted', userMessage: { text: 'question' } });
    const { request } = await driver.nextAction(session, 'session/permissionRequest');
    driver.notify('unsubscribe', { resource: session });
    const refused = await driver.refusal('createSession', { session: `mock:/${crypto.randomUUID()}` });
    expect(refused.code).toBe(ERROR_CODE.tooManyRequests);
    await driver.act({ ...turn, type: 'session/permissionResolved', requestId: request.requestId, approved: true });
    const { activeTurn, turns } = await driver.stateOf(session);
    if (activeTurn) await driver.nextAction(session, 'session/turnComplete');
    else expect(turns[0]?.state).toBe('complete');
    await small.dispose();
  });
});
