import { Validator } from '@seriousme/openapi-schema-validator';
import { type Document, OpenAPIClientAxios } from 'openapi-client-axios';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestHost, type TestHost } from '../../support/testHost.js';
import { eventually } from './support.js';

let host: TestHost;
beforeAll(async () => {
  host = await startTestHost();
});
afterAll(() => host.dispose());

describe('the OpenAPI document', () => {
  it('is valid, and a client that is generated from it runs a turn', async () => {
    const document = (await (await fetch(new URL('/api/openapi.json', host.url))).json()) as Document;
    expect(await new Validator().validate(structuredClone({ ...document }))).toEqual({ valid: true });
    const api = new OpenAPIClientAxios({
      definition: document,
      withServer: { url: host.url.href.replace(/\/$/, '') },
      axiosConfigDefaults: { headers: { authorization: `Bearer ${host.token}` } },
    });
    const client = await api.getClient();
    const call = async (operation: string, path: object | undefined, body?: object) => {
      const called = await client[operation]?.(path as never, body);
      return { status: called?.status, data: called?.data };
    };
    const { data: made, status } = await call('createSession', undefined, { provider: 'mock' });
    expect(status).toBe(201);
    const { session } = made as { session: string };
    const { data: sent } = await call('sendMessage', { session }, { text: 'hello' });
    const turns = await eventually(
      async () => (await call('listTurns', { session, limit: 5 })).data.turns as { id: string; state: string }[],
      (found) => found.length > 0,
    );
    expect(turns).toMatchObject([{ id: sent.turnId, state: 'complete' }]);
    const { data: agents } = await call('listAgents', undefined);
    expect(agents.items.map(({ provider }: { provider: string }) => provider)).toContain('mock');
    expect((await call('search', { text: 'hello' })).data.total).toBe(1);
    expect((await call('deleteSession', { session })).status).toBe(204);
  });
});
