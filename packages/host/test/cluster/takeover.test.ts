import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { rawSession } from '../../../../test/support/testHost.js';
import { hostProcesses } from './support/hostProcesses.js';

const postgres = postgresOfFile();

const cleanups = cleanupsOfTests();

const { start, client } = hostProcesses(cleanups);

interface Listed {
  readonly items: readonly { readonly resource: string; readonly status: string }[];
}

describe('two hosts on one database', () => {
  it('[OWN4] the other takes the sessions of one that is killed, and ends their turns', async () => {
    const database = await postgres.server.newDatabase();
    const [one, two] = [await start(database), await start(database)];
    const alice = await client(one, 'alice');
    const session = await rawSession([alice]);
    await alice.act({ type: 'session/turnStarted', session, turnId: 't', userMessage: { text: 'hang' } });
    const bob = await client(two, 'bob');
    // Known to all, open to one.
    await expect
      .poll(async () => (await bob.request<Listed>('listSessions', {})).items, { timeout: 10_000 })
      .toMatchObject([{ resource: session, status: 'inProgress' }]);
    await one.kill('SIGKILL');
    const state = await bob.stateOf(session);
    expect(state.turns).toMatchObject([{ id: 't', error: { errorType: 'interrupted' } }]);
  });

  it('[OWN5] a janitor takes what a dead host had at work, without anybody asking', async () => {
    const database = await postgres.server.newDatabase();
    const [one, two] = [await start(database), await start(database)];
    const alice = await client(one, 'alice');
    const session = await rawSession([alice]);
    await alice.act({ type: 'session/turnStarted', session, turnId: 't', userMessage: { text: 'hang' } });
    await one.kill('SIGKILL');
    const bob = await client(two, 'bob');
    await expect
      .poll(async () => (await bob.request<Listed>('listSessions', {})).items, { timeout: 20_000 })
      .toMatchObject([{ resource: session, status: 'error' }]);
  });

  it('[FEN1] [FEN4] [FEN5] a host that slept writes nothing, tells nothing, and sends its clients away', async () => {
    const database = await postgres.server.newDatabase();
    const [one, two] = [await start(database), await start(database)];
    const alice = await client(one, 'alice');
    const session = await rawSession([alice]);
    await alice.act({ type: 'session/turnStarted', session, turnId: 'before', userMessage: { text: 'hello' } });
    await alice.nextAction(session, 'session/turnComplete');
    one.process.kill('SIGSTOP');
    alice.dispatch({ type: 'session/turnStarted', session, turnId: 'asleep', userMessage: { text: 'hello' } });
    const bob = await client(two, 'bob');
    await expect
      .poll(
        () =>
          bob
            .stateOf(session)
            .then(() => true)
            .catch(() => false),
        { timeout: 20_000, interval: 100 },
      )
      .toBe(true);
    await bob.act({ type: 'session/turnStarted', session, turnId: 'after', userMessage: { text: 'hello' } });
    await bob.nextAction(session, 'session/turnComplete');
    const told = alice.envelopes.length;
    one.process.kill('SIGCONT');
    expect(await alice.closed).toMatchObject({ code: 4409 });
    expect(alice.envelopes.length).toBe(told);
    expect((await bob.stateOf(session)).turns.map(({ id }) => id)).toEqual(['before', 'after']);
  });

  it('one that stops gives its sessions back at once', async () => {
    const database = await postgres.server.newDatabase();
    const [one, two] = [await start(database), await start(database)];
    const alice = await client(one, 'alice');
    const session = await rawSession([alice]);
    await alice.act({ type: 'session/turnStarted', session, turnId: 't', userMessage: { text: 'hello' } });
    await alice.nextAction(session, 'session/turnComplete');
    const bob = await client(two, 'bob');
    one.process.kill('SIGTERM');
    await once(one.process, 'exit');
    expect((await bob.stateOf(session)).turns.map(({ id }) => id)).toEqual(['t']);
  });
});
