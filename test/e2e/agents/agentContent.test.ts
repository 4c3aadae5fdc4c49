import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { AcpAgents } from '@agenthost/host';
import type { ContentRef, ResponsePart, Turn } from '@agenthost/protocol';
import { parseContentUri } from '@agenthost/protocol/internal';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { MemorySessionFs } from '../../../packages/host/src/storage/fs/memorySessionFs.js';
import { stubEntry, stubSession, writeAgents } from '../../support/agents/stubAgent.js';
import { png, wav } from '../../support/samples.js';
import { say } from '../../support/say.js';
import { memoryHandler } from '../../support/storage/memoryProvider.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';

const PICTURE = png();
const SOUND = wav();
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const image = (data = base64(PICTURE), mimeType = 'image/png') => ({ type: 'image', data, mimeType });
const audio = (data = base64(SOUND), mimeType = 'audio/wav') => ({ type: 'audio', data, mimeType });

const idOf = (bytes: Uint8Array, ending: string) =>
  `agent-${createHash('sha256').update(bytes).digest('hex')}.${ending}`;

function lastTurn(session: SessionHandle): Turn {
  const turn = session.confirmed.value.turns.at(-1);
  if (!turn) throw new Error('there is no turn');
  return turn;
}

/** The parts of the last answer, each as short as it can be told apart. */
function shown(session: SessionHandle): string[] {
  return lastTurn(session).responseParts.map((part) => {
    if (part.kind === 'markdown' || part.kind === 'reasoning') return part.content;
    if (part.kind === 'contentRef') return `${part.ref.mimeType} ${part.ref.sizeHint}`;
    return part.kind === 'notice' ? `${part.severity}: ${part.text}` : part.kind;
  });
}

const refsIn = (parts: readonly ResponsePart[]): ContentRef[] =>
  parts.flatMap((part) => (part.kind === 'contentRef' ? [part.ref] : []));

function resultRefs(session: SessionHandle): ContentRef[] {
  const [call] = lastTurn(session).toolCalls;
  const content = call?.status === 'completed' ? (call.result.content ?? []) : [];
  return content.flatMap((piece) => (piece.type === 'contentRef' ? [piece.ref] : []));
}

describe('images and audio of an agent', () => {
  let stateDir: string;
  let host: TestHost;
  let client: HostClient;
  let session: SessionHandle;

  const start = async () => {
    host = await startTestHost({ stateDir, agentSources: [new AcpAgents()] });
    client = await host.connect();
  };
  beforeEach(async () => {
    stateDir = await temporaryFolder();
    await writeAgents(stateDir, { stub: stubEntry(stateDir) });
    await start();
    session = await stubSession(client);
  });
  afterEach(async () => {
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
  });

  const saying = (blocks: readonly object[], how = 'say-blocks') => say(session, `${how} ${JSON.stringify(blocks)}`);
  const filesOf = (uri: string) => join(stateDir, 'session-state', parseContentUri(uri)?.sessionId ?? '', 'files');
  const kept = async () => {
    const folder = join(stateDir, 'session-state', session.uri.slice('stub:/'.length), 'files');
    return readdir(folder).catch(() => []);
  };

  it('have their position in the answer, as references to bytes that can be fetched', async () => {
    await saying([image(), audio()]);
    expect(shown(session)).toEqual(['Before. ', `image/png ${PICTURE.length}`, `audio/wav ${SOUND.length}`, 'After.']);
    const [picture, sound] = refsIn(lastTurn(session).responseParts) as [ContentRef, ContentRef];
    expect(parseContentUri(picture.uri)?.contentId).toBe(idOf(PICTURE, 'png'));
    const fetched = await client.fetchContent(picture.uri);
    expect([Buffer.from(fetched.bytes).equals(PICTURE), fetched.mimeType]).toEqual([true, 'image/png']);
    expect(Buffer.from((await client.fetchContent(sound.uri)).bytes).equals(SOUND)).toBe(true);
    expect((await stat(join(filesOf(picture.uri), idOf(PICTURE, 'png')))).mode & 0o777).toBe(0o600);
  });

  it('appear in reasoning, and once each in tool results', async () => {
    await saying([{ type: 'text', text: 'Hm.' }, image()], 'think-blocks');
    expect(shown(session)).toEqual(['Hm.', `image/png ${PICTURE.length}`, 'After.']);
    await saying([{ type: 'text', text: 'Here it is.' }, image(), audio(), image()], 'tool-blocks');
    expect(shown(session)).toEqual(['toolCall', 'Taken.']);
    expect(resultRefs(session)).toMatchObject([{ mimeType: 'image/png' }, { mimeType: 'audio/wav' }]);
    expect(lastTurn(session).toolCalls[0]).toMatchObject({ result: { success: true, toolOutput: 'Here it is.' } });
    // The same bytes are one file, however often they are sent.
    expect((await kept()).sort()).toEqual([idOf(PICTURE, 'png'), idOf(SOUND, 'wav')].sort());
  });

  it('come as resources and as data URIs too; other links stay links', async () => {
    const blob = base64(PICTURE);
    await saying([
      { type: 'resource', resource: { uri: 'file:///made/chart.png', mimeType: 'image/png', blob } },
      { type: 'resource_link', name: 'image', uri: `data:image/png;base64,${blob}` },
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'a text. ' } },
      { type: 'resource_link', name: 'The page', uri: 'https://example.com/' },
      { type: 'image', data: '', mimeType: '', uri: 'https://example.com/a.png' },
    ]);
    const picture = `image/png ${PICTURE.length}`;
    const links = 'a text. [The page](https://example.com/)[image](https://example.com/a.png)After.';
    expect(shown(session)).toEqual(['Before. ', picture, picture, links]);
  });

  it("survive a restart, and the removal of a fork's source", async () => {
    await saying([image()]);
    const [before] = refsIn(lastTurn(session).responseParts) as [ContentRef];
    await host.dispose();
    await start();
    session = await client.openSession(session.uri);
    const [ref] = refsIn(lastTurn(session).responseParts) as [ContentRef];
    expect(ref).toEqual(before);
    expect(Buffer.from((await client.fetchContent(ref.uri)).bytes).equals(PICTURE)).toBe(true);
    const fork = await client.forkSession({ source: session.uri });
    const [copied] = refsIn(lastTurn(fork).responseParts) as [ContentRef];
    expect(copied.uri).not.toBe(ref.uri);
    await client.disposeSession(session.uri);
    expect(Buffer.from((await client.fetchContent(copied.uri)).bytes).equals(PICTURE)).toBe(true);
  });

  it('have the type of their bytes, and never one that a browser would run', async () => {
    const page = base64(Buffer.from('<html><script>alert(1)</script></html>'));
    const drawing = base64(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'));
    const blob = (mimeType: string, data = page) => ({
      type: 'resource',
      resource: { uri: 'x:y', mimeType, blob: data },
    });
    await saying([
      image(base64(PICTURE), 'IMAGE/JPEG; x=y'),
      image(page),
      image(drawing, 'image/svg+xml'),
      blob('text/html'),
      blob('text/html; charset=utf-8', base64(PICTURE)),
      audio(page),
      image(base64(SOUND), 'image/png'),
      blob('image/png\r\nx: y'),
      blob('__proto__'),
      blob('constructor'),
    ]);
    const types = refsIn(lastTurn(session).responseParts).map(({ mimeType }) => mimeType);
    const bytes = 'application/octet-stream';
    expect(types).toEqual(['image/png', bytes, bytes, bytes, 'image/png', bytes, 'audio/wav', bytes, bytes, bytes]);
    for (const { uri, mimeType } of refsIn(lastTurn(session).responseParts)) {
      expect((await client.fetchContent(uri)).mimeType).toBe(mimeType);
    }
  });

  it('are not kept when they are invalid, empty or too large, with a notice', async () => {
    await saying([image('not base64!'), image(`${base64(PICTURE)}=`), image('A'), audio(''), { type: 'image' }]);
    expect(shown(session)).toEqual([
      'Before. ',
      'warning: An image (image/png) was not kept: its data is not base64.',
      'warning: An image (image/png) was not kept: its data is not base64.',
      'warning: An image (image/png) was not kept: its data is not base64.',
      'warning: Audio (audio/wav) was not kept: it is empty.',
      'warning: An image was not kept: it is empty.',
      'After.',
    ]);
    expect(await kept()).toEqual([]);
    await saying([{ ...image(), pad: 5 * 1024 * 1024 }], 'tool-blocks');
    expect(shown(session)).toEqual([
      'toolCall',
      `warning: An image (image/png) was not kept: it has ${(PICTURE.length + 5 * 1024 * 1024).toLocaleString('en')} bytes, and at most 5 MiB are kept of one.`,
      'Taken.',
    ]);
    expect(resultRefs(session)).toEqual([]);
    // With line breaks, as some write it.
    await saying([image(base64(PICTURE).replace(/.{20}/g, '$&\r\n'))]);
    expect(shown(session)).toEqual(['Before. ', `image/png ${PICTURE.length}`, 'After.']);
  });

  it('are limited per turn, and the omission is reported once', async () => {
    await say(session, `repeat-block 10000 ${JSON.stringify(image())}`);
    const parts = shown(session);
    expect(parts.filter((part) => part.startsWith('image/png'))).toHaveLength(100);
    expect(parts.slice(100)).toEqual([
      'warning: An image (image/png) was not kept: 100 images and files are kept of one turn. The rest of them is left out.',
      'All sent.',
    ]);
    expect(await kept()).toHaveLength(100);
    await saying([image()]);
    expect(shown(session)).toEqual(['Before. ', `image/png ${PICTURE.length}`, 'After.']);
  });
});

it("are kept by a client that keeps the session's files, in a fork too", async () => {
  const host = await startTestHost();
  onTestFinished(() => host.dispose());
  const stored = new Map<string, MemorySessionFs>();
  const client = await host.connect({
    sessionFs: { initialCwd: '/tmp', sessionStatePath: '/state', conventions: 'posix' },
  });
  const createSessionFsHandler = (uri: string) => {
    const files = stored.get(uri) ?? new MemorySessionFs({ sessionStatePath: '/state' });
    stored.set(uri, files);
    return memoryHandler(files);
  };
  const session = await client.createSession({ provider: 'mock', createSessionFsHandler });
  await session.ready();
  await say(session, 'image');
  await say(session, 'image tool');
  const [ref] = resultRefs(session) as [ContentRef];
  const { contentId = '' } = parseContentUri(ref.uri) ?? {};
  const bytes = await stored.get(session.uri)?.readFileBytes(`/state/files/${contentId}`);
  expect(bytes?.length).toBe(ref.sizeHint);
  expect((await client.fetchContent(ref.uri)).bytes.length).toBe(ref.sizeHint);
  const fork = await client.forkSession({ source: session.uri, createSessionFsHandler });
  const [copied] = resultRefs(fork) as [ContentRef];
  expect(Buffer.from((await client.fetchContent(copied.uri)).bytes).equals(Buffer.from(bytes ?? []))).toBe(true);
});
