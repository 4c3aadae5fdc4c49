import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ContentRef, ERROR_CODE, type Turn } from '@agenthost/protocol';
import { turnContents } from '@agenthost/protocol/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { png } from '../../support/samples.js';
import { startTestHost, type TestHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';

describe('importSession', () => {
  let host: TestHost;

  beforeEach(async () => {
    host = await startTestHost();
  });
  afterEach(() => host.dispose());

  const turn = (n: number, text = `message ${n}`): Turn => ({
    id: `t${n}`,
    userMessage: { text },
    responseParts: [{ kind: 'markdown', id: 'p1', content: `answer ${n}` }],
    toolCalls: [],
    state: 'complete',
    startedAt: n * 1_000,
    endedAt: n * 1_000 + 500,
  });
  const folders = () => readdir(join(host.stateDir, 'session-state'));

  it('[IMP1] creates a session with its history, which others see, which can be searched, and which continues', async () => {
    const [alice, bob] = [await host.connect(), await host.connect()];
    const announced: string[] = [];
    bob.onNotification((event) => {
      if (event.type === 'notify/sessionAdded') announced.push(event.summary.title);
    });
    const turns = Array.from({ length: 2_500 }, (_, n) => turn(n + 1));
    const session = await alice.importSession({ provider: 'mock', title: 'Elsewhere', turns });
    expect(session.confirmed.value).toMatchObject({
      lifecycle: 'ready',
      summary: { title: 'Elsewhere', status: 'idle' },
    });
    expect(session.confirmed.value.turns.at(-1)).toEqual(turns.at(-1));
    const history = [];
    for await (const older of session.history({ includeLoaded: true })) history.unshift(older);
    expect(history).toEqual(turns);
    await bob.ping();
    expect(announced).toEqual(['Elsewhere']);
    expect((await bob.listSessions({ filter: { text: 'answer 1234' } })).total).toBe(1);
    await session.send('hello');
    await until(session.confirmed, ({ turns: now }) => now.at(-1)?.userMessage.text === 'hello', 'the next turn');
  });

  it.each([
    ['startedAt', 9e15],
    ['endedAt', 1e308],
    ['startedAt', -1],
  ])('refuses a turn whose %s is %d, which is no valid date', async (field, time) => {
    const alice = await host.raw('alice');
    const refused = await alice.refusal('importSession', {
      session: 'mock:/s1',
      turns: [{ ...turn(1), [field]: time }],
    });
    expect(refused).toMatchObject({
      code: ERROR_CODE.invalidParams,
      message: expect.stringContaining(`turns.0.${field}`),
    });
    expect(await alice.request('listSessions')).toMatchObject({ items: [] });
  });

  it('accepts eight at once', async () => {
    const alice = await host.raw('alice');
    const begin = (n: number) =>
      alice.request('importSession', { session: `mock:/s${n}`, turns: [turn(1)], more: true }).then(
        () => 'begun',
        ({ message }: Error) => message,
      );
    const outcomes = await Promise.all(Array.from({ length: 12 }, (_, n) => begin(n)));
    const refused = outcomes.filter((outcome) => outcome.includes(`(${ERROR_CODE.tooManyRequests})`));
    expect([outcomes.filter((outcome) => outcome === 'begun').length, refused.length]).toEqual([8, 4]);
    expect(await folders()).toHaveLength(8);
  });

  it('[IMP1] an incomplete session does not exist, and is dropped with its client', async () => {
    const [alice, bob] = [await host.raw('alice'), await host.raw('bob')];
    const session = 'mock:/half';
    await alice.request('importSession', { session, turns: [turn(1)], more: true });
    expect(await bob.refusal('subscribe', { resource: session })).toMatchObject({ code: -32001 });
    expect(await bob.refusal('createSession', { session })).toMatchObject({ code: -32003 });
    expect(await bob.refusal('importSession', { session, turns: [] })).toMatchObject({ code: -32003 });
    expect(await bob.request('listSessions')).toMatchObject({ total: 0 });
    await alice.end();
    await expect.poll(folders, { timeout: 10_000 }).toEqual([]);
    // The id is free a moment after its folder is.
    const again = () => bob.request('importSession', { session, turns: [turn(1)] }).then(() => 'taken', String);
    await expect.poll(again, { timeout: 10_000 }).toBe('taken');
    expect(await bob.request('listSessions')).toMatchObject({ total: 1 });
  });

  it('[IMP1] a refused import leaves nothing behind', async () => {
    const alice = await host.raw('alice');
    const refusals = [
      { session: 'mock:/a', turns: [turn(1), turn(1)] },
      { session: 'mock:/a', turns: [turn(1)], workingDirectory: 'file:///does/not/exist' },
      { session: 'nobody:/a', turns: [] },
      { session: 'mock:/a', provider: 'shell', turns: [] },
    ];
    const codes = [];
    for (const params of refusals) codes.push((await alice.refusal('importSession', params)).code);
    expect(codes).toEqual([-32602, -32008, -32002, -32602]);
    expect(await folders()).toEqual([]);
    await alice.request('importSession', { session: 'mock:/a', turns: [turn(1)] });
    expect(await alice.refusal('importSession', { session: 'mock:/a', turns: [] })).toMatchObject({ code: -32003 });
    expect(await alice.stateOf('mock:/a')).toMatchObject({ turns: [{ id: 't1' }] });
  });

  /** A turn that refers to these bytes by the name that they have elsewhere. */
  const uriOf = (bytes: Uint8Array, ending = 'png', kind = 'agent') =>
    `mock://elsewhere/${kind}-${createHash('sha256').update(bytes).digest('hex')}.${ending}`;
  const turnWith = (n: number, ...refs: readonly ContentRef[]): Turn => ({
    ...turn(n),
    responseParts: refs.map((ref, index) => ({ kind: 'contentRef', id: `p${index}`, ref })),
  });
  const refsIn = (turns: readonly Turn[]) => turns.flatMap(turnContents);

  it('[IMP3] transfers the content that turns refer to, in pieces, each once', async () => {
    const client = await host.connect();
    const [small, large] = [png(), Buffer.concat([png(8, 8), randomBytes(3_000_000)])];
    const known = new Map([small, large].map((bytes) => [uriOf(bytes), bytes]));
    const asked: string[] = [];
    const refs = [...known.keys()].map((uri) => ({ uri, mimeType: 'text/html', sizeHint: 7 }));
    const session = await client.importSession({
      provider: 'mock',
      turns: [turnWith(1, ...refs), turnWith(2, ...refs)],
      content: async ({ uri }) => {
        asked.push(uri);
        return known.get(uri);
      },
    });
    expect(asked).toEqual([...known.keys()]);
    const moved = refsIn(session.confirmed.value.turns.slice(0, 1));
    // Its name, type and size are the host's word.
    expect(moved.map(({ mimeType, sizeHint }) => [mimeType, sizeHint])).toEqual([
      ['image/png', small.length],
      ['image/png', large.length],
    ]);
    expect(refsIn(session.confirmed.value.turns)).toEqual([...moved, ...moved]);
    for (const [index, bytes] of [small, large].entries()) {
      const fetched = await client.fetchContent(moved[index]?.uri ?? '');
      expect(Buffer.from(fetched.bytes).equals(bytes)).toBe(true);
    }
  });

  it('[IMP3] leaves out incomplete content, and content whose name is not its hash', async () => {
    const alice = await host.raw('alice');
    const session = 'mock:/odd';
    const bytes = png();
    const data = bytes.toString('base64');
    const page = Buffer.from('<html><script>alert(1)</script>');
    const contents = [
      { uri: uriOf(randomBytes(9)), data },
      { uri: 'mock://elsewhere/output-1.txt', data },
      { uri: 'mock://elsewhere/../../../etc/passwd', data },
      { uri: 'file:///etc/passwd', data },
      { uri: `mock://elsewhere/agent-${'0'.repeat(64)}.png`, data: 'not base64!' },
      { uri: uriOf(page, 'html'), data: page.toString('base64') },
      { uri: uriOf(page, 'svg', 'pasted'), data: page.toString('base64') },
    ];
    const turns = [turnWith(1, ...contents.map(({ uri }) => ({ uri, mimeType: 'text/html' })))];
    await alice.request('importSession', { session, turns, contents });
    const state = await alice.stateOf(session);
    const parts = (state as unknown as { turns: Turn[] }).turns[0]?.responseParts ?? [];
    expect(parts.map(({ kind }) => kind)).toEqual([
      ...Array.from({ length: 5 }, () => 'notice'),
      'contentRef',
      'contentRef',
    ]);
    expect(JSON.stringify(parts.slice(5))).not.toContain('html');
    expect(parts[5]).toMatchObject({ ref: { mimeType: 'application/octet-stream', sizeHint: page.length } });
    expect(await readdir(join(host.stateDir, 'session-state', 'odd', 'files'))).toHaveLength(2);
  });

  it('[IMP3] refuses pieces with a gap, and bounds a content', async () => {
    const alice = await host.raw('alice');
    const bytes = png();
    const uri = uriOf(bytes);
    const piece = (offset: number, data: string) => ({
      session: 'mock:/gap',
      turns: [],
      contents: [{ uri, offset, data }],
      more: true,
    });
    await alice.request('importSession', piece(0, bytes.subarray(0, 9).toString('base64')));
    expect(await alice.refusal('importSession', piece(12, 'AAAA'))).toMatchObject({ code: -32602 });
    expect(await folders()).toEqual([]);
    const megabyte = randomBytes(1024 * 1024).toString('base64');
    for (let n = 0; n < 10; n++) await alice.request('importSession', piece(n * 1024 * 1024, megabyte));
    await alice.request('importSession', { session: 'mock:/gap', turns: [turnWith(1, { uri })] });
    expect(await alice.stateOf('mock:/gap')).toMatchObject({ turns: [{ responseParts: [{ kind: 'notice' }] }] });
  });
});
