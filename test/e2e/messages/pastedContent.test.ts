import { createHash, randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { type Attachment, type ContentRef, parseSessionUri, type UserMessage } from '@agenthost/protocol';
import { INLINE_CONTENT_LIMIT, INLINE_MESSAGE_LIMIT } from '@agenthost/protocol/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemorySessionFs } from '../../../packages/host/src/storage/fs/memorySessionFs.js';
import { startRestartableHost } from '../../support/restartableHost.js';
import { memoryHandler } from '../../support/storage/memoryProvider.js';
import { rawSession, startTestHost, type TestHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const MIB = 1024 * 1024;
const image = randomBytes(MIB);
const long = `ä${randomBytes(MIB / 2).toString('hex')}`;

const ATTACHMENTS: readonly Attachment[] = [
  { kind: 'text', label: 'pasted', data: long },
  { kind: 'image', label: 'screenshot', mimeType: 'image/png', data: image.toString('base64') },
  { kind: 'selection', label: 'selected', uri: 'file:///a.ts', data: 'y'.repeat(INLINE_CONTENT_LIMIT + 1) },
  { kind: 'text', label: 'short', data: 'z'.repeat(INLINE_CONTENT_LIMIT) },
  { kind: 'file', label: 'a file', uri: 'file:///b.ts' },
];
const MESSAGE: UserMessage = { text: 'attachments', attachments: ATTACHMENTS };
/** What the mock agent says about what it got. */
const RECEIVED = ATTACHMENTS.map(({ label, data }) => {
  const hash = data === undefined ? 'none' : createHash('sha256').update(data).digest('hex');
  return `${label}: ${data?.length ?? 0} ${hash}\n`;
}).join('');

const refsOf = (message: UserMessage | undefined): (ContentRef | undefined)[] =>
  (message?.attachments ?? []).map(({ ref }) => ref);

const said = (session: SessionHandle, turn = 0) =>
  session.confirmed.value.turns[turn]?.responseParts.map((part) => ('content' in part ? part.content : '')).join('');

const ended = (session: SessionHandle, count: number) =>
  until(session.confirmed, ({ turns, activeTurn }) => turns.length === count && !activeTurn, `${count} ended turns`);

describe('pasted and attached content', () => {
  let host: TestHost;
  let client: HostClient;

  beforeEach(async () => {
    host = await startTestHost({ maxPastedBytes: 4 * MIB });
    client = await host.connect();
  });
  afterEach(() => host.dispose());

  async function make(): Promise<SessionHandle> {
    const session = await client.createSession({ provider: 'mock' });
    await session.ready();
    return session;
  }

  const folderOf = (session: SessionHandle) =>
    join(host.stateDir, 'session-state', parseSessionUri(session.uri)?.sessionId ?? '');

  it('is in files, with references in state, log and other clients; the agent gets all of it', async () => {
    const session = await make();
    const theirs = await (await host.connect()).openSession(session.uri);
    const sending = session.send(MESSAGE);
    expect(session.state.value.activeTurn?.userMessage).toEqual(MESSAGE);
    await sending;
    await ended(session, 1);
    await ended(theirs, 1);
    expect(said(session)).toBe(RECEIVED);

    const kept = session.confirmed.value.turns[0]?.userMessage;
    expect(session.state.value).toBe(session.confirmed.value);
    expect(theirs.confirmed.value.turns).toEqual(session.confirmed.value.turns);
    expect(kept?.attachments?.map(({ data }) => data?.length)).toEqual([
      undefined,
      undefined,
      undefined,
      INLINE_CONTENT_LIMIT,
      undefined,
    ]);
    expect(kept?.attachments?.[2]).toMatchObject({ kind: 'selection', label: 'selected', uri: 'file:///a.ts' });
    const [text, picture, selection, ...others] = refsOf(kept);
    expect(others).toEqual([undefined, undefined]);
    expect(picture).toMatchObject({ mimeType: 'image/png', sizeHint: image.length });
    const fetched = await client.fetchContent(picture?.uri ?? '');
    expect([Buffer.from(fetched.bytes).equals(image), fetched.mimeType]).toEqual([true, 'image/png']);
    expect((await client.fetchContent(text?.uri ?? '')).text()).toBe(long);
    expect(selection?.sizeHint).toBe(INLINE_CONTENT_LIMIT + 1);
    expect(await theirs.wholeMessage(kept ?? { text: '' })).toEqual(MESSAGE);
    expect((await stat(join(folderOf(session), 'events.jsonl'))).size).toBeLessThan(60_000);
    expect((await stat(join(folderOf(session), 'files'))).mode & 0o777).toBe(0o700);

    const fork = await client.forkSession({ source: session.uri });
    const copied = fork.confirmed.value.turns[0]?.userMessage;
    expect(refsOf(copied)[0]?.uri).not.toBe(text?.uri);
    await client.disposeSession(session.uri);
    await expect(client.fetchContent(text?.uri ?? '')).rejects.toMatchObject({ code: -32006 });
    expect(await fork.wholeMessage(copied ?? { text: '' })).toEqual(MESSAGE);
    await fork.send({ ...copied, text: 'attachments' });
    await ended(fork, 2);
    expect(said(fork, 1)).toBe(RECEIVED);
  });

  it('may be a very long text: the state has its head and tail', async () => {
    const session = await make();
    const text = `begin ${'ä'.repeat(400_000)} end`;
    await session.send(text);
    await ended(session, 1);
    expect(said(session)).toBe(`You said: ${text}`);
    const message = session.confirmed.value.turns[0]?.userMessage;
    expect(message?.text).toMatch(/^begin ä+\n… [\d,]+ bytes omitted …\nä+ end$/);
    expect(Buffer.byteLength(message?.text ?? '')).toBeLessThan(INLINE_CONTENT_LIMIT + 100);
    expect(message?.textRef).toMatchObject({ sizeHint: Buffer.byteLength(text) });
    expect(await session.wholeMessage(message ?? { text: '' })).toEqual({ text });
    const short = 'x'.repeat(INLINE_MESSAGE_LIMIT);
    await session.send(short);
    await ended(session, 2);
    expect(session.confirmed.value.turns[1]?.userMessage).toEqual({ text: short });
  });

  it('is queued, edited and steered like any other message', async () => {
    const session = await make();
    await session.send('steer');
    const id = await session.queue(MESSAGE);
    const [queued] = session.confirmed.value.queuedMessages ?? [];
    expect(refsOf(queued?.userMessage)[0]?.uri).toContain('/pasted-');
    // As a page would: with what the state has of it.
    await session.editPending(id, { ...queued?.userMessage, text: 'attachments edited' });
    await session.steer({ text: long.slice(0, 900_000) });
    await ended(session, 2);
    const [first] = session.confirmed.value.turns;
    if (!first) throw new Error('no turn has ended');
    // The answer is longer than what the state has of it.
    const { responseParts } = await session.wholeTurn(first);
    const text = responseParts.map((part) => ('content' in part ? part.content : '')).join('');
    expect(text).toBe(`Waiting to be steered. Steered: ${long.slice(0, 900_000)}`);
    const part = responseParts.find(({ kind }) => kind === 'steering');
    expect(part).toMatchObject({ userMessage: { textRef: { sizeHint: 900_001 } } });
    expect(session.confirmed.value.turns[1]?.userMessage.text).toBe('attachments edited');
    expect(said(session, 1)).toBe(RECEIVED);
  });

  it('keeps its order among the messages of its sender, while others do not wait', async () => {
    const [one, two] = [await host.raw('one'), await host.raw('two')];
    const session = await rawSession([one, two]);
    const base = { session, type: 'session/pendingMessageSet', kind: 'steering' } as const;
    await one.act({ session, type: 'session/turnStarted', turnId: 't1', userMessage: { text: 'slow' } });
    const sent = [
      one.dispatch({ ...base, id: 'm1', userMessage: { text: 'm1', attachments: ATTACHMENTS } }),
      one.dispatch({ session, type: 'session/pendingMessageRemoved', kind: 'steering', id: 'm1' }),
      one.dispatch({ session, type: 'session/titleChanged', title: 'last' }),
    ];
    const echoes = await Promise.all(sent.map((seq) => one.echo(seq)));
    expect(echoes.map(({ rejectionReason }) => rejectionReason)).toEqual([undefined, undefined, undefined]);
    const numbers = echoes.map(({ serverSeq }) => serverSeq);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect((await two.stateOf(session)).summary.title).toBe('last');
  });

  it('is refused with the reason when it is invalid', async () => {
    const session = await make();
    const send = (attachment: Attachment) => session.send({ text: 'hello', attachments: [attachment] });
    const other = await make();
    await other.send(MESSAGE);
    await ended(other, 1);
    const foreign = refsOf(other.confirmed.value.turns[0]?.userMessage)[0];
    const { sessionId = '' } = parseSessionUri(session.uri) ?? {};
    for (const uri of [foreign?.uri ?? '', `mock://${sessionId}/pasted-none.txt`, 'file:///etc/passwd', 'nonsense']) {
      const reason = `unknown content: ${uri}`;
      await expect(send({ kind: 'text', label: 'a', ref: { uri } })).rejects.toThrow(reason);
      await expect(session.send({ text: 'hello', textRef: { uri } })).rejects.toThrow(reason);
    }
    const broken = {
      kind: 'image',
      label: 'broken',
      data: `data:image/png;base64,${image.toString('base64')}`,
    } as const;
    await expect(send(broken)).rejects.toThrow('the data of the image "broken" is not base64');
    expect(session.state.value).toBe(session.confirmed.value);
    expect(session.confirmed.value.turns).toEqual([]);
    await expect(readdir(join(folderOf(session), 'files'))).rejects.toThrow('ENOENT');
  });

  it('is bounded per session, and kept once', async () => {
    const session = await make();
    const queue = (data: string) => session.queue({ text: 'hello', attachments: [{ kind: 'text', label: 'a', data }] });
    await session.send('hang', 't1');
    for (let n = 0; n < 8; n++) await queue('same'.repeat(MIB / 4));
    expect(await readdir(join(folderOf(session), 'files'))).toHaveLength(1);
    for (let n = 0; n < 3; n++) await queue(String(n).repeat(MIB));
    const reason = 'the session has no room for more pasted content (4 MiB): go on in a new session';
    await expect(queue('one too many'.repeat(MIB / 16))).rejects.toThrow(reason);
    await queue('same'.repeat(MIB / 4));
    await queue('short');
    expect(session.confirmed.value.queuedMessages).toHaveLength(13);
  });
});

it('is complete and stored once when the host is killed at any moment and its sender sends it again', async () => {
  const host = await startRestartableHost();
  try {
    const userMessage = { text: 'hello', attachments: ATTACHMENTS };
    for (const waitForEcho of [false, true]) {
      const first = await host.raw('me');
      const session = await rawSession([first]);
      const action = { session, type: 'session/turnStarted', turnId: 't1', userMessage };
      const clientSeq = first.dispatch(action);
      if (waitForEcho) await first.echo(clientSeq);
      else await first.fence();
      await host.end('SIGKILL');
      await host.start();
      const again = await host.raw('me');
      again.dispatch(action, clientSeq);
      const client = await host.connect();
      const opened = await client.openSession(session);
      const { turns } = await ended(opened, 1);
      expect(await opened.wholeMessage(turns[0]?.userMessage ?? { text: '' })).toEqual(userMessage);
      client.close();
    }
  } finally {
    await host.dispose();
  }
});

describe("with a client that keeps the sessions' files", () => {
  const CONFIG = { initialCwd: '/tmp', sessionStatePath: '/state', conventions: 'posix' } as const;

  it('pasted content is in its files; a failed write is refused, and leaves no trace', async () => {
    const host = await startTestHost();
    try {
      const files = new MemorySessionFs({ sessionStatePath: CONFIG.sessionStatePath });
      const handler = memoryHandler(files);
      const failing = { error: undefined as Error | undefined };
      const client = await host.connect({ sessionFs: CONFIG });
      const createSessionFsHandler = () => ({
        ...handler,
        writeFile: async (...[path, content, options]: Parameters<typeof handler.writeFile>) => {
          if (failing.error && path.includes('/pasted-')) throw failing.error;
          await handler.writeFile(path, content, options);
        },
      });
      const session = await client.createSession({ provider: 'mock', createSessionFsHandler });
      await session.ready();
      failing.error = new Error('no room');
      await expect(session.send(MESSAGE)).rejects.toThrow(/could not be stored: .*no room/);
      expect(session.confirmed.value.turns).toEqual([]);
      failing.error = undefined;
      await session.send(MESSAGE);
      await ended(session, 1);
      expect(said(session)).toBe(RECEIVED);
      expect(await files.readdir('/state/files')).toHaveLength(3);
    } finally {
      await host.dispose();
    }
  });
});
