import { randomBytes } from 'node:crypto';
import type { SessionState, UserMessage } from '@agenthost/protocol';
import type { FetchContentResult } from '@agenthost/protocol/internal';
import { afterEach, describe, expect, it } from 'vitest';
import type { RawClient } from '../../support/rawClient.js';
import { type Lie, SeedProvider } from '../../support/storage/seedProvider.js';
import { startTestHost, type TestHost } from '../../support/testHost.js';

const ID = 'kept';
const SESSION = `mock:/${ID}`;
const LOG = '/state/events.jsonl';
const MIB = 1024 * 1024;

/** Both kinds: one answers for its own sessions alone, as the seed asks; one takes whatever id it is given. */
const KINDS = [
  ['that answers for its sessions alone', false],
  ['that takes any session id', true],
] as const;

describe.each(KINDS)('a provider written from seed 003 %s', (_kind, takesAnyId) => {
  let host: TestHost | undefined;
  const opened: RawClient[] = [];

  afterEach(async () => {
    await stop();
  });

  async function stop(): Promise<void> {
    await Promise.all(opened.splice(0).map((client) => client.end()));
    await host?.dispose();
    host = undefined;
  }

  /** Ends the host that runs, and starts one that has never heard of these sessions. */
  async function startWith(provider: SeedProvider) {
    await stop();
    host = await startTestHost();
    const client = await provider.provide(host);
    opened.push(client);
    return client;
  }

  async function create(provider: SeedProvider, client: RawClient, session = SESSION): Promise<void> {
    provider.add(session.slice('mock:/'.length));
    await client.request('createSession', { session });
    if ((await client.stateOf(session)).lifecycle === 'creating') await client.nextAction(session, 'session/ready');
  }

  async function turn(client: RawClient, message: string | UserMessage, session = SESSION): Promise<string> {
    const turnId = crypto.randomUUID();
    const userMessage = typeof message === 'string' ? { text: message } : message;
    const { rejectionReason } = await client.act({ type: 'session/turnStarted', session, turnId, userMessage });
    expect(rejectionReason).toBeUndefined();
    await client.nextAction(session, 'session/turnComplete', (action) => action.turnId === turnId);
    return turnId;
  }

  async function wholeContent(client: RawClient, uri: string): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let offset = 0; ; ) {
      const piece = await client.request<FetchContentResult>('fetchContent', { uri, range: { offset, length: MIB } });
      const bytes = Buffer.from(piece.data, piece.encoding === 'base64' ? 'base64' : 'utf8');
      if (bytes.length === 0) return Buffer.concat(pieces);
      pieces.push(bytes);
      offset += bytes.length;
    }
  }

  const turnsOf = (state: SessionState) => state.turns.map(({ id, responseParts }) => ({ id, responseParts }));

  it('[FS2] keeps its sessions over a restart of the host, and their logs are text', async () => {
    const provider = new SeedProvider({ takesAnyId });
    const client = await startWith(provider);
    await create(provider, client);
    await turn(client, 'hello');
    await turn(client, { text: 'ü€🦊 "quoted" \\ and dGV4dA==' });
    const before = await client.stateOf(SESSION);
    const log = provider.fileOf(ID, LOG) ?? '';
    expect(
      log
        .split('\n')
        .slice(0, -1)
        .every((line) => typeof JSON.parse(line) === 'object'),
    ).toBe(true);

    const again = await startWith(provider);
    expect(turnsOf(await again.stateOf(SESSION))).toEqual(turnsOf(before));
    expect(provider.fileOf(ID, LOG)?.startsWith(log)).toBe(true);
    await turn(again, 'hello');
    expect((await (await startWith(provider)).stateOf(SESSION)).turns).toHaveLength(3);
  });

  it('[FS2] is never asked for base64 again once the host knows that it does not support it', async () => {
    const provider = new SeedProvider({ takesAnyId });
    const client = await startWith(provider);
    await create(provider, client);
    const asked = () => provider.calls.filter(({ params }) => params.encoding === 'base64').length;
    const inProbe = asked();
    expect(inProbe).toBeGreaterThan(0);
    await turn(client, { text: 'attachments', attachments: [imageOf(MIB)] });
    await turn(client, `big-output ${3 * MIB}`);
    await create(provider, client, 'mock:/other');
    expect(asked()).toBe(inProbe);
    expect([...provider.sessions.values()].flatMap((files) => [...files.keys()])).not.toContainEqual(
      expect.stringContaining('probe'),
    );
  });

  it('[FS2] returns attachments, images and large output byte for byte, also after a restart and from a fork', async () => {
    const provider = new SeedProvider({ takesAnyId });
    const client = await startWith(provider);
    await create(provider, client);
    const image = imageOf(MIB);
    const text = `ä${'€🦊 dGV4dA==\u001a'.repeat(60_000)}`;
    const attachments = [image, { kind: 'text' as const, label: 'long', data: text }];
    await turn(client, { text: 'attachments', attachments });
    await turn(client, `big-output ${5 * MIB}`);
    provider.add('fork');
    await client.request('forkSession', { source: SESSION, session: 'mock:/fork' });

    const check = async (by: RawClient, session: string) => {
      const [first, second] = (await by.stateOf(session)).turns;
      const [imageRef, textRef] = (first?.userMessage.attachments ?? []).map(({ ref }) => ref?.uri ?? '');
      expect((await wholeContent(by, imageRef ?? '')).equals(Buffer.from(image.data, 'base64'))).toBe(true);
      expect((await wholeContent(by, textRef ?? '')).equals(Buffer.from(text))).toBe(true);
      const [call] = second?.toolCalls ?? [];
      const output = call && 'output' in call ? call.output?.ref : undefined;
      expect((await wholeContent(by, output?.uri ?? '')).length).toBe(5 * MIB);
      return output?.uri;
    };
    const uri = await check(client, SESSION);
    expect(await check(client, 'mock:/fork')).not.toBe(uri);
    const again = await startWith(provider);
    await check(again, SESSION);
    await check(again, 'mock:/fork');
  });

  it("can have a log that is longer than other clients' frames, without requesting longer frames", async () => {
    const provider = new SeedProvider({ takesAnyId });
    const client = await startWith(provider);
    await create(provider, client);
    for (let n = 0; n < 3; n++) await turn(client, `stream 80000`);
    expect(provider.fileOf(ID, LOG)?.length).toBeGreaterThan(4.5 * MIB);
    const before = await client.stateOf(SESSION);
    const again = await startWith(provider);
    expect(turnsOf(await again.stateOf(SESSION))).toEqual(turnsOf(before));
  });

  it('[FS3] loses only a last line that was cut off, and no byte of the file', async () => {
    const provider = new SeedProvider({ takesAnyId });
    const client = await startWith(provider);
    await create(provider, client);
    const first = await turn(client, 'hello');
    await turn(client, 'hello');
    await stop();
    const cut = provider.fileOf(ID, LOG)?.slice(0, -30) ?? '';
    provider.sessions.get(ID)?.set(LOG, cut);
    const again = await startWith(provider);
    const state = await again.stateOf(SESSION);
    expect([...state.turns, state.activeTurn].map((found) => found?.id)).toContain(first);
    await turn(again, 'hello');
    expect(provider.fileOf(ID, LOG)?.startsWith(cut)).toBe(true);
    const third = await startWith(provider);
    expect((await third.stateOf(SESSION)).turns.length).toBe(3);
  });

  describe('with wrong answers', () => {
    const isLogRead = ({ method, params }: Parameters<Lie>[0]) => method === 'readFile' && params.path === LOG;
    const LIES: readonly (readonly [string, (...args: Parameters<Lie>) => unknown])[] = [
      ['with half a log', (call, honest) => isLogRead(call) && half(honest())],
      ['with base64', (call) => isLogRead(call) && { content: randomBytes(3_000).toString('base64') }],
      ['with an empty file', (call) => isLogRead(call) && { content: '' }],
      ['with another text', (call) => isLogRead(call) && { content: 'once upon a time\n'.repeat(99) }],
      ['with bytes that were decoded as text', (call, honest) => isLogRead(call) && garbled(honest())],
      ['with a number', (call) => isLogRead(call) && { content: 5 }],
      ['with nothing', (call) => isLogRead(call) && {}],
      ['with a size that is too small', (call, honest) => call.method === 'stat' && resized(honest(), 0.5)],
      ['with a size that is too large', (call, honest) => call.method === 'stat' && resized(honest(), 2)],
      ['with an error', (call) => isLogRead(call) && { code: 'UNKNOWN', message: 'the bucket is on fire' }],
    ];

    it.each(LIES)('[FS3] %s loses nothing that it stored', async (_what, lie) => {
      const provider = new SeedProvider({ takesAnyId });
      const client = await startWith(provider);
      await create(provider, client);
      await turn(client, 'hello');
      await turn(client, 'hello');
      const before = await client.stateOf(SESSION);
      await stop();
      const log = provider.fileOf(ID, LOG) ?? '';
      provider.lie = (call, honest) => lie(call, honest) || undefined;
      const lied = await startWith(provider);
      const { error } = await lied.ask('subscribe', { resource: SESSION });
      if (error) expect(error.message).toMatch(/client that keeps the sessions' files/);
      await lied.ask('fetchTurns', { session: SESSION, range: { before: 'x', limit: 5 } });
      await lied.fence();
      await stop();
      expect(provider.fileOf(ID, LOG)?.startsWith(log)).toBe(true);

      provider.lie = undefined;
      const honest = await startWith(provider);
      const after = await honest.stateOf(SESSION);
      expect(turnsOf(after).slice(0, 2)).toEqual(turnsOf(before));
      await turn(honest, 'hello');
    });
  });
});

function imageOf(bytes: number) {
  return {
    kind: 'image' as const,
    label: 'picture',
    mimeType: 'image/png',
    data: randomBytes(bytes).toString('base64'),
  };
}

const half = (answer: unknown) => {
  const { content } = answer as { content: string };
  return { content: content.slice(0, content.length / 2) };
};

const garbled = (answer: unknown) => {
  const { content } = answer as { content: string };
  return { content: content.replaceAll('hello', 'h\uFFFDllo') };
};

const resized = (answer: unknown, factor: number) => {
  const stat = answer as { size: number };
  return { ...stat, size: Math.floor(stat.size * factor) };
};
