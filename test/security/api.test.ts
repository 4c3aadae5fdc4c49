import { rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { ROLES, roleIncludes } from '@agenthost/protocol';
import { roleForAction, roleForMethod } from '@agenthost/protocol/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeviceTokens } from '../../packages/host/src/server/access/deviceTokens.js';
import { API_ROUTES, type ApiRoute } from '../../packages/host/src/server/apiRoutes.js';
import { type Asked, ask, follow, newSession } from '../e2e/api/support.js';
import { startTestHost, temporaryFolder } from '../support/testHost.js';
import { type RolesHost, startRolesHost } from './rolesHost.js';

let host: RolesHost;
beforeAll(async () => {
  host = await startRolesHost();
});
afterAll(() => host.dispose());

const send = (method: string, path: string, asked: Asked = {}) => ask(host, method, path, asked);

describe('roles', () => {
  const BODIES: Readonly<Record<string, object>> = {
    createSession: { provider: 'nobody' },
    changeSession: { title: 'x' },
    sendMessage: { text: 'x' },
    answerQuestion: { toolCallId: 'x', approved: true },
    cancelTurn: {},
  };

  it('each route is refused to those whom the role table refuses its command or action, and to no others', async () => {
    for (const [operation, route] of Object.entries(API_ROUTES) as [string, ApiRoute][]) {
      const needs = [
        ...(route.commands ?? []).map(roleForMethod),
        ...(route.actions ?? []).slice(0, 1).map((type) => roleForAction({ type })),
      ];
      const path = route.path.replace('{session}', 'mock:none').replace('{turnId}', 't');
      const query = operation === 'readContent' ? '?uri=mock://none/x' : operation === 'search' ? '?text=x' : '';
      for (const role of ROLES) {
        const body = BODIES[operation];
        const { status } = await send(route.method, path + query, {
          token: host.tokenOf(role),
          ...(body && { body }),
        });
        const may = needs.every((needed) => roleIncludes(role, needed));
        expect([operation, role, status === 403]).toEqual([operation, role, !may]);
      }
    }
  });
});

describe('point 4: a revoked token', () => {
  it('ends a stream of events and an upload at once, and opens nothing more', async () => {
    const session = await newSession(host);
    const token = await host.addDevice('phone', 'driver');
    const events = follow(host, session, { token });
    expect((await events.next()).value.event).toBe('connected');
    const ended = (async () => {
      for (;;) if ((await events.next()).done) return 'ended';
    })().catch(() => 'cut');
    const upload = request(new URL(`/api/v1/sessions/${session}/messages`, host.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': 13 },
    });
    const answered = new Promise<number | undefined>((resolve) => {
      upload.on('response', (response: IncomingMessage) => resolve(response.resume().statusCode));
      upload.on('error', () => resolve(undefined));
    });
    upload.write('{"text":');
    await host.devices.remove('phone');
    expect(['ended', 'cut']).toContain(await ended);
    upload.end('"hi"}');
    expect([401, undefined]).toContain(await answered);
    expect((await send('GET', '/api/v1/sessions', { token })).status).toBe(401);
    expect((await send('GET', `/api/v1/sessions/${session}/turns`)).json.turns).toEqual([]);
  });
});

describe('a read-only link', () => {
  it('does not open the API, not even for its session', async () => {
    const owner = await host.connect();
    const session = await newSession(host);
    const { token } = await owner.devices.share({ session: decodeURIComponent(session), validMs: 60_000 });
    const { status } = await send('GET', `/api/v1/sessions/${session}`, { token });
    expect(status).toBe(403);
  });
});

describe('spaces', () => {
  it('a token sees, finds, follows and changes nothing of another space', async () => {
    const session = await newSession(host);
    await send('POST', `/api/v1/sessions/${session}/messages`, { body: { text: 'secret plans' } });
    const token = await host.addDevice('Ben', 'owner', 'design');
    expect((await send('GET', '/api/v1/sessions', { token })).json).toMatchObject({ items: [], total: 0 });
    expect((await send('GET', '/api/v1/search?text=secret', { token })).json).toMatchObject({ items: [], total: 0 });
    for (const [method, path, body] of [
      ['GET', ''],
      ['GET', '/turns'],
      ['GET', '/events'],
      ['GET', '/questions'],
      ['DELETE', ''],
      ['PATCH', '', { title: 'mine' }],
      ['POST', '/messages', { text: 'x' }],
    ] as const)
      expect([
        method,
        path,
        (await send(method, `/api/v1/sessions/${session}${path}`, { token, ...(body && { body }) })).status,
      ]).toEqual([method, path, 404]);
  });
});

describe('an Idempotency-Key', () => {
  it('of one token means nothing to another one', async () => {
    const key = crypto.randomUUID();
    const asked = { key, body: { provider: 'mock' } };
    const mine = await send('POST', '/api/v1/sessions', asked);
    const theirs = await send('POST', '/api/v1/sessions', { ...asked, token: host.tokenOf('driver') });
    expect(theirs.status).toBe(201);
    expect(theirs.json.session).not.toBe(mine.json.session);
  });
});

describe('slots', () => {
  it('streams of a device take its slots, and those of nobody else', async () => {
    const stateDir = await temporaryFolder();
    const token = await new DeviceTokens(stateDir).add('phone', 'viewer');
    const small = await startTestHost({ stateDir }, { maxConnections: 20 });
    try {
      const session = await newSession(small);
      const open = async () => {
        const events = follow(small, session, { token });
        await events.next();
        return events;
      };
      const streams = [await open(), await open()];
      await expect(open()).rejects.toThrow('503');
      await streams[0]?.return(undefined);
      expect((await ask(small, 'GET', '/api/v1/sessions')).status).toBe(200);
      for (const signal = AbortSignal.timeout(5_000); ; signal.throwIfAborted()) {
        const again = await open().catch(() => undefined);
        if (!again) continue;
        await again.return(undefined);
        break;
      }
      await streams[1]?.return(undefined);
    } finally {
      await small.dispose();
      await rm(stateDir, { recursive: true, force: true });
    }
  });
});
