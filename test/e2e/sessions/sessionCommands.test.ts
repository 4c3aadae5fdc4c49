import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ListSessionsResult, SessionState, SessionSummary, Snapshot } from '@agenthost/protocol';
import type { FetchTurnsResult } from '@agenthost/protocol/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawClient } from '../../support/rawClient.js';
import { rawSession, startWithTwoRaw, type TestHost } from '../../support/testHost.js';

describe('the commands about sessions', () => {
  let host: TestHost;
  let alice: RawClient;
  let bob: RawClient;

  beforeAll(async () => {
    ({ host, alice, bob } = await startWithTwoRaw());
  });
  afterAll(() => host.dispose());

  const newUri = () => `mock:/${crypto.randomUUID()}`;
  const list = (params: object = {}) => bob.request<ListSessionsResult>('listSessions', params);

  describe('createSession', () => {
    it('and subscribe together: creating, then ready, with notifications', async () => {
      const session = newUri();
      const metadata = { purpose: 'test' };
      const workingDirectory = pathToFileURL(host.stateDir).href;
      const created = alice.request('createSession', {
        session,
        model: 'mock-large',
        workingDirectory,
        metadata,
        config: { creationDelayMs: 20 },
      });
      const subscribed = alice.request<Snapshot>('subscribe', { resource: session });
      expect(await created).toBeNull();
      const { state } = await subscribed;
      const { summary, lifecycle } = state as SessionState;
      expect(lifecycle).toBe('creating');
      expect(summary).toMatchObject({
        resource: session,
        provider: 'mock',
        status: 'idle',
        model: 'mock-large',
        workingDirectory,
        metadata,
      });
      for (const client of [alice, bob]) {
        const added = await client.next(({ params }) => params?.notification?.type === 'notify/sessionAdded');
        expect(added.params?.notification).toEqual({ type: 'notify/sessionAdded', summary });
      }
      await alice.nextAction(session, 'session/ready');
      expect((await bob.stateOf(session)).lifecycle).toBe('ready');
      bob.notify('unsubscribe', { resource: session });
    });

    it.each([
      ['a provider that nobody has', { session: 'nobody:/x' }, -32002, 'no agent for provider nobody'],
      ['another provider than its URI', { session: 'mock:/x', provider: 'shell' }, -32602, /^params\.provider: /],
      ['something that is no session', { session: 'mock://x/y' }, -32602, /^params\.session: /],
      ['a path', { session: 'mock:/../x' }, -32602, /^params\.session: /],
      ['a folder that is not there', { session: 'mock:/x', workingDirectory: 'file:///no/such' }, -32008, /not exist/],
      ['a folder that is a file', { session: 'mock:/x', workingDirectory: 'file:///etc/passwd' }, -32008, /not a dir/],
      ['a folder elsewhere', { session: 'mock:/x', workingDirectory: 'https://x.org/' }, -32602, /not a file: URI/],
    ])('refuses %s, and leaves nothing behind', async (_what, params, code, message) => {
      const error = await alice.refusal('createSession', params);
      expect(error.code).toBe(code);
      expect(error.message).toMatch(message);
      expect(await alice.refusal('subscribe', { resource: params.session })).toMatchObject({ code: -32001 });
      expect((await list({ filter: { text: 'x' } })).items).toEqual([]);
      expect(await alice.request('createSession', { session: 'mock:/x' })).toBeNull();
      await alice.request('disposeSession', { session: 'mock:/x' });
    });

    it('refuses a URI that exists, also at the same time and under another provider', async () => {
      const session = newUri();
      const answers = await Promise.all([1, 2, 3].map(() => alice.ask('createSession', { session })));
      expect(answers.map(({ error }) => error?.code).toSorted()).toEqual([-32003, -32003, undefined]);
      expect(await alice.refusal('createSession', { session })).toMatchObject({ code: -32003 });
      expect(await alice.refusal('createSession', { session: session.replace('mock', 'shell') })).toMatchObject({
        code: -32003,
      });
      expect((await alice.stateOf(session)).summary.resource).toBe(session);

      const one = newUri();
      const twins = [one, one.replace('mock', 'shell')];
      const both = await Promise.all(twins.map((uri) => alice.ask('createSession', { session: uri })));
      expect(both.map(({ error }) => error?.code).toSorted()).toEqual([-32003, undefined]);
    });

    it('that fails leaves a listed session with its error, until it is disposed', async () => {
      const session = newUri();
      await alice.request('createSession', { session, config: { failCreation: 'No luck today.' } });
      let { state } = await alice.request<{ state: SessionState }>('subscribe', { resource: session });
      if (state.lifecycle === 'creating') await alice.nextAction(session, 'session/creationFailed');
      ({ state } = await bob.request<{ state: SessionState }>('subscribe', { resource: session }));
      expect(state).toMatchObject({
        lifecycle: 'creationFailed',
        creationError: { errorType: 'creationFailed', message: 'No luck today.' },
        summary: { status: 'error', isRead: false },
      });
      expect((await list({ filter: { status: 'error' } })).items).toContainEqual(state.summary);
      expect(await alice.request('disposeSession', { session })).toBeNull();
      expect(await alice.refusal('subscribe', { resource: session })).toMatchObject({ code: -32001 });
    });
  });

  it('disposeSession ends the turn, notifies all clients, and leaves nothing', async () => {
    const session = await rawSession([alice]);
    await alice.act({ session, type: 'session/turnStarted', turnId: 't', userMessage: { text: 'slow' } });
    const folder = join(host.stateDir, 'session-state', session.slice('mock:/'.length));
    await access(folder);
    expect(await bob.request('disposeSession', { session })).toBeNull();
    for (const client of [alice, bob]) {
      const isIt = (notification: unknown) => JSON.stringify(notification)?.includes(session) ?? false;
      const { params } = await client.next(
        (frame) => frame.params?.notification?.type === 'notify/sessionRemoved' && isIt(frame.params.notification),
      );
      expect(params?.notification).toEqual({ type: 'notify/sessionRemoved', session });
    }
    await expect(access(folder)).rejects.toThrow('ENOENT');
    for (const method of ['subscribe', 'disposeSession', 'fetchTurns']) {
      const params = { session, resource: session, range: { limit: 1 } };
      expect(await alice.refusal(method, params)).toMatchObject({ code: -32001 });
    }
    const late = await alice.act({ session, type: 'session/titleChanged', title: 'late' });
    expect(late.rejectionReason).toBe('unknown session');
    expect((await list()).items.map(({ resource }) => resource)).not.toContain(session);
    expect(await alice.request('createSession', { session })).toBeNull();
    expect((await alice.stateOf(session)).turns).toEqual([]);
  });

  it('listSessions filters, and pages to the end without duplicates', async () => {
    const folder = join(host.stateDir, 'workspace');
    await mkdir(folder);
    const workspace = pathToFileURL(folder).href;
    const sessions = Array.from({ length: 25 }, newUri);
    for (const session of sessions) await alice.request('createSession', { session, workingDirectory: workspace });
    const filter = { workspace };
    const found: SessionSummary[] = [];
    let cursor: string | undefined;
    do {
      const page: ListSessionsResult = await list({ filter, limit: 10, ...(cursor !== undefined && { cursor }) });
      expect(page.total).toBe(25);
      found.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(found.map(({ resource }) => resource).toSorted()).toEqual(sessions.toSorted());
    const times = found.map(({ modifiedAt }) => modifiedAt);
    expect(times).toEqual(times.toSorted((a, b) => b - a));

    const [archived = '', renamed = '', failed = '', running = ''] = sessions;
    await alice.act({ session: archived, type: 'session/isArchivedChanged', isArchived: true });
    await alice.act({ session: renamed, type: 'session/titleChanged', title: 'A 100% rare_name' });
    await alice.act({ session: failed, type: 'session/turnStarted', turnId: 't', userMessage: { text: 'hang' } });
    await alice.act({ session: running, type: 'session/isReadChanged', isRead: false });
    const only = async (more: object) => (await list({ filter: { workspace, ...more } })).items.map((s) => s.resource);
    expect(await only({ isArchived: true })).toEqual([archived]);
    expect(await only({ text: 'RARE_name 100%' })).toEqual([renamed]);
    expect(await only({ text: 'rare_name nothing' })).toEqual([]);
    expect(await only({ text: '%' })).toEqual([renamed]);
    expect(await only({ status: 'inProgress' })).toEqual([failed]);
    expect((await only({ isRead: false })).toSorted()).toEqual([failed, running].toSorted());
    expect(await only({ provider: 'shell' })).toEqual([]);
    expect(await only({ modifiedSince: Date.now() + 60_000 })).toEqual([]);
    for (const bad of ['nonsense', 'W10', 'e30']) {
      expect(await alice.refusal('listSessions', { cursor: bad })).toEqual({
        code: -32602,
        message: 'params.cursor: not a cursor of this host: list again from the start',
      });
    }
    await alice.request('disposeSession', { session: failed });
  });

  it('listSessions and openSession return metadata as deep and large as createSession accepts', async () => {
    const session = newUri();
    let nested: object = {};
    for (let n = 0; n < 59; n++) nested = { nested };
    const metadata = { nested, long: 'x'.repeat(15_000) };
    await alice.request('createSession', { session, metadata });
    await alice.request('createSession', { session: newUri(), metadata });
    const client = await host.connect();
    const { items } = await client.listSessions({ limit: 2 });
    const kept = { ...metadata, workingDirectoryPath: host.stateDir };
    expect(items.map((item) => item.metadata)).toEqual([kept, kept]);
    expect((await client.openSession(session)).confirmed.value.summary.metadata).toEqual(kept);
  });

  it('fetchTurns pages back through more turns than the host keeps in memory', async () => {
    const session = await rawSession([alice]);
    const ids = Array.from({ length: 260 }, (_, n) => `turn-${n}`);
    for (const turnId of ids) {
      alice.dispatch({ session, type: 'session/turnStarted', turnId, userMessage: { text: `prompt ${turnId}` } });
      await alice.nextAction(session, 'session/turnComplete');
    }
    const { state } = await bob.request<{ state: SessionState }>('subscribe', { resource: session, turns: 200 });
    expect(state.turns.map(({ id }) => id)).toEqual(ids.slice(-200));
    expect(state.earlierTurns).toBe(60);
    const fetched: string[] = [];
    let page: FetchTurnsResult | undefined;
    do {
      const before = page?.turns[0]?.id;
      const range = { limit: 70, ...(before !== undefined && { before }) };
      page = await bob.request<FetchTurnsResult>('fetchTurns', { session, range });
      fetched.unshift(...page.turns.map(({ id, userMessage }) => (userMessage.text === `prompt ${id}` ? id : 'wrong')));
    } while (page.hasMore);
    expect(fetched).toEqual(ids);
    const range = { before: 'turn-60', limit: 5 };
    expect(await bob.request<FetchTurnsResult>('fetchTurns', { session, range })).toMatchObject({
      turns: [{ id: 'turn-55' }, { id: 'turn-56' }, { id: 'turn-57' }, { id: 'turn-58' }, { id: 'turn-59' }],
      hasMore: true,
    });
    expect(await bob.refusal('fetchTurns', { session, range: { before: 'none', limit: 5 } })).toEqual({
      code: -32008,
      message: `no turn none in ${session}`,
    });
  });
});
