import { CLIENT_ACTION_TYPES } from '@agenthost/protocol/internal';
import { COMMAND_SCHEMAS } from '@agenthost/protocol/schemas';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawClient } from '../../support/rawClient.js';
import { AttackedHost } from './attackedHost.js';
import { HOSTILE_ACTIONS } from './hostileActions.js';
import { type CommandContext, HOSTILE_COMMANDS, providedSessions } from './hostileCommands.js';
import { makeHostileSessions } from './hostileSessions.js';
import { HostStalls, tooLong } from './hostStalls.js';

/** Issue 17, point 7: no request blocks the event loop for more than 50 ms, whatever it asks for and whatever the sessions hold. */
describe('every request', { timeout: 300_000 }, () => {
  let stalls: HostStalls;
  let context: CommandContext;
  const fence = () => context.client.fence();

  beforeAll(async () => {
    stalls = await HostStalls.create();
    const attacked = await AttackedHost.start(['--ahp'], stalls.env);
    const client = await openClient(attacked);
    context = { attacked, client, data: await makeHostileSessions(client, attacked.stateDir) };
  }, 300_000);
  afterAll(async () => {
    await context.client.end();
    await context.attacked.dispose();
    await stalls.dispose();
  });

  it('has hostile data here', () => {
    expect(Object.keys(HOSTILE_COMMANDS).toSorted()).toEqual(Object.keys(COMMAND_SCHEMAS).toSorted());
    expect(Object.keys(HOSTILE_ACTIONS).toSorted()).toEqual([...CLIENT_ACTION_TYPES].toSorted());
    for (const cases of [...Object.values(HOSTILE_COMMANDS), ...Object.values(HOSTILE_ACTIONS)]) {
      expect(cases.length).toBeGreaterThan(0);
    }
  });

  it('for a command does not block the event loop', async () => {
    const measured = new Map<string, number>();
    await context.attacked.during('every command with hostile data', async () => {
      for (const [method, cases] of Object.entries(HOSTILE_COMMANDS)) {
        for (const [what, run] of cases) measured.set(`${method}: ${what}`, await stalls.of(() => run(context), fence));
      }
    });
    report(measured);
  });

  it('for an action does not block the event loop', async () => {
    const measured = new Map<string, number>();
    const { attacked, client } = context;
    await attacked.during('every action with hostile data', async () => {
      for (const [type, actions] of Object.entries(HOSTILE_ACTIONS)) {
        const session = `mock:/${crypto.randomUUID()}`;
        await client.request('createSession', { session });
        await client.request('subscribe', { resource: session });
        const dispatchAll = async () => {
          for (const action of actions) client.dispatch({ type, session, ...action });
        };
        measured.set(type, await stalls.of(dispatchAll, fence));
        await client.request('disposeSession', { session });
      }
    });
    report(measured);
  });
});

describe('a client that keeps the files', { timeout: 120_000 }, () => {
  it('of 50,000 sessions does not block the event loop', async () => {
    const stalls = await HostStalls.create();
    let attacked: AttackedHost | undefined;
    let client: RawClient | undefined;
    const end = async () => {
      await client?.end();
      await attacked?.dispose();
    };
    // Once for a host.
    const prepare = async () => {
      await end();
      attacked = await AttackedHost.start([], stalls.env);
      const keeper = await openClient(attacked);
      keeper.socket.on('message', (data) => answerNothing(keeper, String(data)));
      await keeper.fence();
      client = keeper;
    };
    const attack = () => client?.request('sessionFs.setProvider', providedSessions(50_000)) ?? Promise.reject();
    try {
      const ms = await stalls.of(attack, async () => client?.fence(), prepare);
      report(new Map([['sessionFs.setProvider', ms]]));
    } finally {
      await end();
      await stalls.dispose();
    }
  });
});

async function openClient(attacked: AttackedHost): Promise<RawClient> {
  const client = await RawClient.open(attacked.host);
  await client.request('initialize', { protocolVersion: 2, clientId: 'attacker' });
  return client;
}

function report(measured: ReadonlyMap<string, number>): void {
  const worst = [...measured].toSorted(([, a], [, b]) => b - a).slice(0, 5);
  console.log(`longest stalls: ${worst.map(([what, ms]) => `${what} ${ms.toFixed(0)} ms`).join(', ')}`);
  expect(tooLong(measured)).toEqual([]);
}

/** There are no files; those that are written are gone. */
function answerNothing(client: RawClient, text: string): void {
  const { id, method = '' } = JSON.parse(text) as { id?: number; method?: string };
  if (id === undefined || !method.startsWith('sessionFs.')) return;
  const error = { code: 'ENOENT', message: 'no such file' };
  const file = { isFile: false, isDirectory: false, size: 0, mtime: '', birthtime: '', error };
  const results: Record<string, unknown> = {
    'sessionFs.readFile': { content: '', error },
    'sessionFs.exists': { exists: false },
    'sessionFs.stat': file,
    'sessionFs.readdir': { entries: [], error },
    'sessionFs.readdirWithTypes': { entries: [], error },
  };
  client.sendText(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? null }));
}
