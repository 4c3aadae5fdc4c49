import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROLES, type Role } from '@agenthost/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeviceTokens } from '../../../packages/host/src/server/access/deviceTokens.js';
import { API_ROUTES, type ApiRoute } from '../../../packages/host/src/server/apiRoutes.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { type Asked, ask, eventually, newSession } from './support.js';

let host: TestHost;
const tokens = new Map<Role, string>();
beforeAll(async () => {
  const stateDir = await temporaryFolder();
  const devices = new DeviceTokens(stateDir);
  for (const role of ROLES) tokens.set(role, await devices.add(`the ${role}`, role));
  host = await startTestHost({ stateDir });
});
afterAll(() => host.dispose());

const send = (method: string, path: string, asked: Asked = {}) => ask(host, method, path, asked);

describe('the OpenAPI document', () => {
  it('has every route, and each route is in the role table', async () => {
    const document = (await (await fetch(new URL('/api/openapi.json', host.url))).json()) as {
      paths: Record<string, object>;
    };
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const served = host.host.routes
      .filter(({ path, needsBearer }) => needsBearer && path.startsWith('/api/'))
      .map(({ method, path }) => `${method} ${path}`);
    expect(described.sort()).toEqual(served.sort());
    for (const route of Object.values(API_ROUTES) as ApiRoute[])
      expect([route.path, (route.commands ?? []).length + (route.actions ?? []).length > 0]).toEqual([
        route.path,
        true,
      ]);
  });
});

describe('roles', () => {
  it('what somebody does with a device’s token has the name of the device', async () => {
    const session = await newSession(host);
    const token = tokens.get('driver') ?? '';
    await send('POST', `/api/v1/sessions/${session}/messages`, { token, body: { text: 'hello' } });
    const turns = await eventually(
      async () => (await send('GET', `/api/v1/sessions/${session}/turns`)).json.turns as { by: { name: string } }[],
      (found) => found.length > 0,
    );
    expect(turns[0]?.by.name).toBe('the driver');
  });
});

describe('questions', () => {
  it('are listed and answered; a second answer learns who was first', async () => {
    const session = await newSession(host);
    const at = `/api/v1/sessions/${session}`;
    const { json: sent } = await send('POST', `${at}/messages`, { body: { text: 'confirm-tool' } });
    const [question] = await eventually(
      async () =>
        (await send('GET', `${at}/questions`)).json.items as { turnId: string; toolCall: { toolCallId: string } }[],
      (items) => items.length > 0,
    );
    expect(question?.turnId).toBe(sent.turnId);
    const body = { toolCallId: question?.toolCall.toolCallId, approved: true };
    const token = tokens.get('approver') ?? '';
    expect((await send('POST', `${at}/turns/${sent.turnId}/answers`, { token, body })).status).toBe(204);
    const late = await send('POST', `${at}/turns/${sent.turnId}/answers`, { body });
    expect([late.status, late.type]).toEqual([409, 'application/problem+json']);
    expect(late.json).toMatchObject({
      status: 409,
      code: expect.any(String),
      detail: expect.any(String),
      whatToDo: expect.any(String),
    });
  });

  it('a turn is cancelled; one that runs refuses another message, and takes one that waits', async () => {
    const at = `/api/v1/sessions/${await newSession(host)}`;
    const { json } = await send('POST', `${at}/messages`, { body: { text: 'slow' } });
    const refused = await send('POST', `${at}/messages`, { body: { text: 'hello' } });
    expect([refused.status, refused.json.code]).toEqual([409, 'turnInProgress']);
    expect((await send('POST', `${at}/messages`, { body: { text: 'hello', kind: 'queued' } })).status).toBe(202);
    expect((await send('POST', `${at}/turns/${json.turnId}/cancel`)).status).toBe(204);
    const turns = await eventually(
      async () => (await send('GET', `${at}/turns`)).json.turns as { state: string }[],
      (found) => found.length === 2,
    );
    expect(turns.map(({ state }) => state)).toEqual(['cancelled', 'complete']);
  });
});

describe('an Idempotency-Key', () => {
  it('makes one session, one turn and one answer of many requests at once', async () => {
    const key = randomUUID();
    const many = await Promise.all(
      Array.from({ length: 20 }, () => send('POST', '/api/v1/sessions', { key, body: { provider: 'mock' } })),
    );
    expect(new Set(many.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const at = `/api/v1/sessions/${encodeURIComponent(many[0]?.json.session)}`;
    const turn = randomUUID();
    const sent = await Promise.all(
      Array.from({ length: 20 }, () => send('POST', `${at}/messages`, { key: turn, body: { text: 'hello' } })),
    );
    expect(new Set(sent.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(sent.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    const turns = await eventually(
      async () => (await send('GET', `${at}/turns`)).json.turns as object[],
      (found) => found.length > 0,
    );
    expect(turns).toHaveLength(1);
  });

  it('is refused for another request, and stays free after a refusal', async () => {
    const at = `/api/v1/sessions/${await newSession(host)}`;
    const key = randomUUID();
    expect((await send('PATCH', at, { key, body: { title: 'one' } })).status).toBe(204);
    expect((await send('PATCH', at, { key, body: { title: 'two' } })).json.code).toBe('idempotencyKeyUsed');
    const other = tokens.get('driver') ?? '';
    expect((await send('PATCH', at, { key, token: other, body: { title: 'three' } })).status).toBe(204);
    const free = randomUUID();
    expect((await send('POST', '/api/v1/sessions', { key: free, body: { provider: 'nobody' } })).status).toBe(422);
    expect((await send('POST', '/api/v1/sessions', { key: free, body: { provider: 'mock' } })).status).toBe(201);
    for (const bad of ['with space', 'x'.repeat(256)])
      expect((await send('PATCH', at, { key: bad, body: { title: 'x' } })).json.code).toBe('invalidIdempotencyKey');
  });
});

describe('content', () => {
  it('comes whole and in ranges, and never as a page', async () => {
    const at = `/api/v1/sessions/${await newSession(host)}`;
    const data = 'ä'.repeat(400_000);
    const attachments = [{ kind: 'text', label: 'long', data }];
    await send('POST', `${at}/messages`, { body: { text: 'hello', attachments } });
    const turns = await eventually(
      async () =>
        (await send('GET', `${at}/turns`)).json.turns as { userMessage: { attachments: { ref: { uri: string } }[] } }[],
      (found) => found.length > 0,
    );
    const uri = encodeURIComponent(turns[0]?.userMessage.attachments[0]?.ref.uri ?? '');
    const whole = await send('GET', `/api/v1/content?uri=${uri}`);
    expect([whole.status, whole.text === data, whole.headers.get('content-disposition')]).toEqual([
      200,
      true,
      'attachment',
    ]);
    const range = async (value: string) =>
      await send('GET', `/api/v1/content?uri=${uri}`, { headers: { range: value } });
    expect(await range('bytes=2-5')).toMatchObject({ status: 206, text: 'ää' });
    expect((await range('bytes=-4')).headers.get('content-range')).toBe('bytes 799996-799999/800000');
    expect((await range('bytes=800000-')).status).toBe(416);
    expect((await range('bytes=1-2,4-5')).text.length).toBe(data.length);
  });
});

describe('what makes no sense', () => {
  it('is answered with what is wrong, and changes nothing', async () => {
    const at = `/api/v1/sessions/${await newSession(host)}`;
    const cases: readonly (readonly [status: number, method: string, path: string, asked?: Asked])[] = [
      [404, 'GET', '/api/v1/nothing'],
      [404, 'GET', '/api/v2/sessions'],
      [404, 'GET', '/api/v1/sessions/%ff'],
      [404, 'GET', '/api/v1/sessions/..%2f..%2fetc'],
      [405, 'PUT', at],
      [405, 'POST', '/api/openapi.json'],
      [400, 'GET', '/api/v1/sessions?limit=0'],
      [400, 'GET', '/api/v1/sessions?limit=5&limit=6'],
      [400, 'GET', '/api/v1/sessions?token=x'],
      [400, 'GET', '/api/v1/sessions?__proto__=x'],
      [400, 'GET', `${at}/events?after=nowhere`],
      [404, 'GET', `${at}/events?after=1-2-3-deadbeef`],
      [415, 'POST', '/api/v1/sessions', { raw: '{"provider":"mock"}', headers: { 'content-type': 'text/plain' } }],
      [400, 'POST', '/api/v1/sessions', { raw: '{' }],
      [400, 'POST', '/api/v1/sessions', { raw: '[]' }],
      [400, 'POST', '/api/v1/sessions', { raw: '{"provider":"mock","session":"mock:/mine"}' }],
      [400, 'POST', '/api/v1/sessions', { raw: '{"provider":"mock","metadata":{"__proto__":{}}}' }],
      [
        400,
        'POST',
        '/api/v1/sessions',
        { raw: `{"provider":"mock","config":{"a":${'['.repeat(80)}${']'.repeat(80)}}}` },
      ],
      [400, 'POST', '/api/v1/sessions', { raw: `{"provider":"mock","config":{"a":[${'0,'.repeat(70_000)}0]}}` }],
      [413, 'POST', '/api/v1/sessions', { raw: `{"provider":"${'x'.repeat(4_000_000)}"}` }],
      [400, 'POST', '/api/v1/sessions', { raw: Buffer.from([123, 34, 255, 34, 125]) }],
      [422, 'POST', '/api/v1/sessions', { body: { provider: '../x' } }],
      [400, 'DELETE', at, { raw: '{"worktree":"discard"}' }],
      [409, 'POST', `${at}/turns/nothing/cancel`],
    ];
    for (const [status, method, path, asked] of cases) {
      const answer = await send(method, path, asked);
      const what = [method, path, asked?.raw?.toString().slice(0, 60)];
      expect([...what, answer.status, answer.type]).toEqual([...what, status, 'application/problem+json']);
      // What is nested too deeply goes no further than to the check of the body.
      if (asked?.raw?.toString().includes('[[[')) expect(answer.json.detail).toMatch(/^The body: /);
      expect(answer.json).toMatchObject({
        status,
        code: expect.any(String),
        detail: expect.any(String),
        whatToDo: expect.any(String),
      });
    }
    expect((await send('GET', at)).status).toBe(200);
  });
});

it('what a file of keys holds is read after a restart, without a line that was cut off', async () => {
  const stateDir = await temporaryFolder();
  const first = await startTestHost({ stateDir });
  const key = randomUUID();
  const made = await ask(first, 'POST', '/api/v1/sessions', { key, body: { provider: 'mock' } });
  await first.host.close();
  await writeFile(join(stateDir, 'apiKeys.jsonl'), '["half', { flag: 'a' });
  const second = await startTestHost({ stateDir });
  const again = await ask(second, 'POST', '/api/v1/sessions', { key, body: { provider: 'mock' } });
  expect([again.json, again.headers.get('idempotency-replayed')]).toEqual([made.json, 'true']);
  await second.dispose();
});
