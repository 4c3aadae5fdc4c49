import { ERROR_CODE } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { say } from '../../../../test/support/say.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { startTestHost, type TestHost } from '../../../../test/support/testHost.js';
import { until } from '../../../../test/support/until.js';

const postgres = postgresOfFile();

type HostClient = Awaited<ReturnType<TestHost['connect']>>;
type SessionHandle = Awaited<ReturnType<HostClient['openSession']>>;

describe('tools of clients of another host than that of the session', () => {
  let hosts: TestHost[];
  let [alice, bob]: HostClient[] = [];
  let session: SessionHandle;
  let mirror: SessionHandle;

  /** Alice is at the host that owns the session, Bob at another. */
  beforeEach(async () => {
    const database = await postgres.server.newDatabase();
    hosts = [await startTestHost({ database, leaseMs: 2_000 }), await startTestHost({ database, leaseMs: 2_000 })];
    [alice, bob] = await Promise.all(
      hosts.map((host, at) => host.connect({ clientInfo: { name: at === 0 ? 'Alice' : 'Bob' } })),
    );
    if (!alice || !bob) throw new Error('nobody there');
    session = await alice.createSession({ provider: 'mock' });
    await session.ready();
    mirror = await bob.openSession(session.uri);
  });
  afterEach(async () => {
    for (const host of hosts.toReversed()) await host.dispose();
  });

  const tool = (name: string, handler: (signal: AbortSignal) => string | Promise<string>) => ({
    name,
    description: '',
    handler: (_: object, { signal }: { readonly signal: AbortSignal }) => handler(signal),
  });

  it('[CTOOL4,CTOOL3] are called there, and keep a name from others', async () => {
    await mirror.registerTools([
      tool('ring', () => 'Bob rings'),
      tool('throws', () => Promise.reject(new Error('No bell.'))),
    ]);
    await until(session.confirmed, ({ clientTools }) => clientTools?.[0]?.client.name === 'Bob', 'the tools');
    expect(await say(session, 'client-tool ring!')).toBe('Answered: Bob rings');
    await until(mirror.confirmed, ({ turns }) => turns.length === 1, 'the turn');
    expect(await say(mirror, 'client-tool throws!')).toBe('Failed: No bell.');
    expect(mirror.confirmed.value.turns[0]?.toolCalls[0]?.clientName).toBe('Bob');
    const refused = session.registerTools([tool('ring', () => 'Alice rings')]);
    await expect(refused).rejects.toMatchObject({ code: ERROR_CODE.alreadyExists });
    const invalid = mirror.registerTools([{ ...tool('bad', () => ''), inputSchema: {} }]);
    await expect(invalid).rejects.toMatchObject({ code: ERROR_CODE.invalidParams });
  });

  it('[CTOOL4,CTOOL5] are cancelled with the turn, and say when their client is gone', async () => {
    const calls: AbortSignal[] = [];
    await mirror.registerTools([
      tool('wait', (signal) => {
        calls.push(signal);
        return new Promise(() => {});
      }),
    ]);
    await session.send('client-tool wait!');
    await expect.poll(() => calls.length).toBe(1);
    await session.cancel();
    await expect.poll(() => calls[0]?.aborted).toBe(true);
    await until(session.confirmed, ({ turns }) => turns.length === 1, 'the end of the turn');
    const turn = say(session, 'client-tool wait!');
    await expect.poll(() => calls.length).toBe(2);
    bob?.close();
    expect(await turn).toMatch(/is gone\.$/);
    await until(session.confirmed, ({ clientTools }) => clientTools === undefined, 'no tools');
  });

  it('[CTOOL5] end with the handle, and with the host of their client', async () => {
    const offered = await mirror.registerTools([tool('ring', () => 'Bob rings')]);
    offered.dispose();
    await until(session.confirmed, ({ clientTools }) => clientTools === undefined, 'no tools');
    await mirror.registerTools([tool('ring', () => 'Bob rings')]);
    await until(session.confirmed, ({ clientTools }) => clientTools !== undefined, 'the tools');
    expect(await say(session, 'client-tool ring!')).toBe('Answered: Bob rings');
    await hosts[1]?.host.close();
    await until(session.confirmed, ({ clientTools }) => clientTools === undefined, 'no tools');
    expect(await say(session, 'client-tool ring!')).toMatch(/is gone\.$/);
  });
});
