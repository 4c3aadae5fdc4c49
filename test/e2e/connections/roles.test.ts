import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { UnauthorizedError } from '@agenthost/client';
import { ROLES, type Role, roleIncludes } from '@agenthost/protocol';
import {
  ACTION_INTRODUCED_IN,
  COMMAND_INTRODUCED_IN,
  type InitializeResult,
  isClientDispatchable,
  roleForAction,
  roleForMethod,
} from '@agenthost/protocol/internal';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DeviceTokens } from '../../../packages/host/src/server/access/deviceTokens.js';
import { RawClient } from '../../support/rawClient.js';
import { rawSession, startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

describe('roles', () => {
  let host: TestHost;
  let devices: DeviceTokens;
  const tokens = new Map<Role, string>();
  const opened: RawClient[] = [];
  beforeAll(async () => {
    const stateDir = await temporaryFolder();
    devices = new DeviceTokens(stateDir);
    for (const role of ROLES) tokens.set(role, await devices.add(`the ${role}`, role));
    host = await startTestHost({ stateDir });
  });
  afterAll(async () => {
    await host.dispose();
    await rm(host.stateDir, { recursive: true, force: true });
  });
  afterEach(() => Promise.all(opened.splice(0).map((client) => client.end())));

  async function open(role: Role, { claims = 'the owner', clientId = crypto.randomUUID() as string } = {}) {
    const client = await RawClient.open({ url: host.url, token: tokens.get(role) ?? '' });
    opened.push(client);
    const welcome = await client.request<InitializeResult>('initialize', {
      protocolVersion: 1,
      clientId,
      clientInfo: { name: claims, device: claims },
    });
    return { client, welcome };
  }

  it.each(ROLES)('a %s learns its role', async (role) => {
    expect((await open(role)).welcome.role).toBe(role);
  });

  it("the answer for the host's own token has a role as well", async () => {
    expect((await host.connect()).role).toBe('owner');
    expect((await host.connect({ token: tokens.get('viewer') as string })).role).toBe('viewer');
  });

  describe.each(ROLES)('a %s', (role) => {
    it('is refused each command above its role, and no other', async () => {
      const { client } = await open(role);
      const shaken = ['initialize', 'reconnect'];
      for (const method of Object.keys(COMMAND_INTRODUCED_IN).filter((name) => !shaken.includes(name))) {
        const { error } = await client.ask(method, { role: 'owner', credential: 'owner' });
        const may = roleIncludes(role, roleForMethod(method));
        expect([method, error?.code === -32009]).toEqual([method, !may]);
        if (!may) expect(error).toMatchObject({ data: { role, needs: roleForMethod(method) } });
      }
      expect(await client.refusal('deleteEverything')).toMatchObject({ code: -32601 });
    });

    it('is refused each action above its role, and nothing changes', async () => {
      const { client } = await open(role);
      const watcher = await host.raw(crypto.randomUUID());
      const session = await rawSession([watcher]);
      const before = await watcher.stateOf(session);
      for (const type of [...Object.keys(ACTION_INTRODUCED_IN), 'session/madeUp']) {
        const may = roleIncludes(role, roleForAction({ type }));
        if (may && isClientDispatchable(type)) continue;
        const by = { clientId: 'owner', name: 'the owner', role: 'owner' };
        const { rejectionReason, rejection } = await client.act({ type, session, turnId: 't', by });
        expect([type, rejectionReason]).toEqual([
          type,
          may ? expect.any(String) : expect.stringContaining(`(role ${role})`),
        ]);
        // [VAL8]
        expect([type, rejection?.code === 'roleNotAllowed']).toEqual([type, !may]);
      }
      const { clients: _, ...after } = await watcher.stateOf(session);
      const { clients: __, ...unchanged } = before;
      expect(after).toEqual(unchanged);
    });
  });

  it('an approver answers and stops, with its token’s name instead of its own claim', async () => {
    const watcher = await host.raw(crypto.randomUUID());
    const session = await rawSession([watcher]);
    const { client } = await open('approver', { claims: 'root' });
    await watcher.act({ type: 'session/turnStarted', session, turnId: 't1', userMessage: { text: 'confirm-tool' } });
    const { toolCall } = await watcher.nextAction(session, 'session/toolStart');
    const confirm = { type: 'session/toolCallConfirmed', session, turnId: 't1', toolCallId: toolCall.toolCallId };
    const typed = await client.act({ ...confirm, approved: true, editedToolInput: 'something else' });
    expect(typed.rejectionReason).toContain('role driver');
    const { origin, action, rejectionReason } = await client.act({ ...confirm, approved: true, by: { clientId: 'x' } });
    expect(rejectionReason).toBeUndefined();
    expect(origin).toMatchObject({ name: 'the approver' });
    const clientId = origin?.clientId as string;
    expect(action).toMatchObject({ by: { clientId, name: 'the approver' } });
    expect('device' in ((action as { by?: object }).by ?? {})).toBe(false);
    expect((await watcher.nextAction(session, 'session/toolCallConfirmed')).by?.name).toBe('the approver');
    await watcher.nextAction(session, 'session/turnComplete');
    const [line] = await logLines(host.stateDir, session, 'session/toolCallConfirmed');
    expect(line).toMatchObject({
      origin: { clientId, name: 'the approver' },
      action: { by: { name: 'the approver' } },
    });
    await watcher.act({ type: 'session/turnStarted', session, turnId: 't2', userMessage: { text: 'slow' } });
    expect(
      (await client.act({ type: 'session/turnCancelled', session, turnId: 't2' })).rejectionReason,
    ).toBeUndefined();
  });

  it('an approver’s reason reaches the agent with at most 1,000 characters', async () => {
    const watcher = await host.raw(crypto.randomUUID());
    const session = await rawSession([watcher]);
    const { client } = await open('approver');
    await watcher.act({ type: 'session/turnStarted', session, turnId: 't', userMessage: { text: 'confirm-tool' } });
    const { toolCall } = await watcher.nextAction(session, 'session/toolStart');
    const deny = (reason: string) =>
      client.act({
        type: 'session/toolCallConfirmed',
        session,
        turnId: 't',
        toolCallId: toolCall.toolCallId,
        approved: false,
        reason,
      });
    expect((await deny('x'.repeat(1_001))).rejectionReason).toContain('in up to 1,000 characters');
    expect((await deny('not now')).rejectionReason).toBeUndefined();
    expect((await watcher.nextAction(session, 'session/toolCallConfirmed')).reason).toBe('not now');
  });

  it('only the owner takes the id of a client of another token, also while that one is away', async () => {
    const clientId = crypto.randomUUID();
    const { client } = await open('driver', { clientId });
    await expect(open('approver', { clientId })).rejects.toThrow('belongs to somebody else');
    await client.end();
    await expect(open('approver', { clientId })).rejects.toThrow('belongs to somebody else');
    await (await open('driver', { clientId })).client.end();
    await open('owner', { clientId });
  });

  it('the numbers of a client belong to its token: another one with its id can’t use them up', async () => {
    const session = await rawSession([await host.raw(crypto.randomUUID())]);
    const clientId = crypto.randomUUID();
    const { client: driver } = await open('driver', { clientId });
    const title = (name: string) => ({ type: 'session/titleChanged', session, title: name, at: 1 });
    driver.dispatch(title('high'), 1_000_000);
    expect((await driver.echo(1_000_000)).rejectionReason).toBeUndefined();
    await driver.end();
    const { client: owner } = await open('owner', { clientId });
    owner.dispatch(title('low'), 1);
    expect((await owner.echo(1)).action).toMatchObject({ title: 'low' });
  });

  it('a revoked or replaced token ends only its own connections, at once', async () => {
    const [kept, gone] = [await open('driver'), await open('viewer')];
    const phone = await devices.add('phone', 'driver');
    await expect
      .poll(() => host.connect({ token: phone }).then(() => 'open', String), { timeout: 20_000 })
      .toBe('open');
    const sdk = await host.connect({ token: phone });
    const rotated = await devices.rotate('phone');
    const closed = await until(sdk.connection, ({ state }) => state === 'closed', 'the end');
    expect(closed).toMatchObject({ reason: { name: 'UnauthorizedError' } });
    await expect(host.connect({ token: phone })).rejects.toBeInstanceOf(UnauthorizedError);
    expect((await host.connect({ token: rotated })).role).toBe('driver');
    await devices.remove('the viewer');
    expect(await gone.client.closed).toEqual({ code: 4401, reason: 'the token was revoked' });
    await kept.client.fence();
  });

  it('a frame far over the limit is not even read from a device: only the owner may keep files', async () => {
    const { client } = await open('driver');
    const header = Buffer.alloc(14);
    header.set([0x81, 0xff]);
    header.writeBigUInt64BE(9n * 1024n * 1024n, 2);
    const { _socket: wire } = client.socket as unknown as { readonly _socket: Writable };
    wire.write(header);
    expect((await client.closed).code).toBe(1009);
  });

  it('the file of tokens contains no token, and is private', async () => {
    const text = await readFile(devices.path, 'utf8');
    expect((await stat(devices.path)).mode & 0o777).toBe(0o600);
    for (const token of tokens.values()) expect(text).not.toContain(token);
    expect((await readdir(host.stateDir)).filter((name) => name.startsWith('tokens.json'))).toEqual(['tokens.json']);
  });
});

async function logLines(stateDir: string, session: string, type: string): Promise<object[]> {
  const id = session.slice(session.indexOf('/') + 1);
  const text = await readFile(join(stateDir, 'session-state', id, 'events.jsonl'), 'utf8');
  const records = text.split('\n').flatMap((line) => {
    const start = line.indexOf('{');
    return start < 0 ? [] : [JSON.parse(line.slice(start, line.lastIndexOf('}') + 1)) as { action?: { type: string } }];
  });
  return records.filter(({ action }) => action?.type === type);
}
