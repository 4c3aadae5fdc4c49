import { access, mkdir, readFile, readlink, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { MockAgent, type OpenSessionOptions } from '@agenthost/host';
import { type ArtifactKind, ERROR_CODE, MAX_CONTENT_RANGE, parseSessionUri } from '@agenthost/protocol';
import { artifactTimes, artifactUri } from '@agenthost/protocol/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalSessionFs } from '../../../packages/host/src/storage/fs/localSessionFs.js';
import { MemorySessionFs } from '../../../packages/host/src/storage/fs/memorySessionFs.js';
import type { SessionFs } from '../../../packages/host/src/storage/fs/sessionFs.js';
import { memoryHandler } from '../../support/storage/memoryProvider.js';
import { statelessStorage } from '../../support/storage/statelessStorage.js';
import { startTestHost, type TestHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const sessionIdOf = (uri: string) => parseSessionUri(uri)?.sessionId ?? '';
const uriOf = (session: SessionHandle, kind: ArtifactKind, name: string) =>
  artifactUri({ provider: 'mock', sessionId: sessionIdOf(session.uri), kind, name });

/** Runs turns to their end; their ids are t1, t2, … */
async function run(session: SessionHandle, ...prompts: readonly string[]): Promise<void> {
  for (const prompt of prompts) {
    const count = session.confirmed.value.turns.length + 1;
    await session.send(prompt, `t${count}`);
    await until(session.confirmed, ({ turns }) => turns.length === count, `the end of ${prompt}`);
  }
}

const notices = (session: SessionHandle) =>
  session.confirmed.value.turns.at(-1)?.responseParts.flatMap((part) => (part.kind === 'notice' ? [part.text] : []));

async function listed(session: SessionHandle) {
  const { items } = await session.listArtifacts();
  return items.map(({ kind, name, title }) => (title === undefined ? `${kind} ${name}` : `${kind} ${name} ${title}`));
}

/** The same for both kinds of storage: what differs is where the files are, and what a new host begins with. */
interface Kept {
  readonly host: TestHost;
  readonly client: HostClient;
  create(): Promise<SessionHandle>;
  open(uri: string): Promise<SessionHandle>;
  fork(source: SessionHandle, toTurnId?: string): Promise<SessionHandle>;
  files(session: SessionHandle): Promise<SessionFs>;
  /** Another host on what this one leaves behind. */
  restart(): Promise<Kept>;
  dispose(): Promise<void>;
}

async function keptLocally(stateDir?: string): Promise<Kept> {
  const host = await startTestHost(stateDir === undefined ? {} : { stateDir });
  const client = await host.connect();
  return {
    host,
    client,
    create: () => client.createSession({ provider: 'mock' }),
    open: (uri) => client.openSession(uri),
    fork: ({ uri: source }, toTurnId) => client.forkSession({ source, ...(toTurnId !== undefined && { toTurnId }) }),
    files: ({ uri }) => LocalSessionFs.open({ stateRoot: host.stateDir, sessionId: sessionIdOf(uri), create: false }),
    restart: async () => {
      client.close();
      await host.host.close();
      return keptLocally(host.stateDir);
    },
    dispose: () => host.dispose(),
  };
}

async function keptByClient(
  conventions: 'posix' | 'windows',
  stored = new Map<string, MemorySessionFs>(),
): Promise<Kept> {
  const sessionStatePath = conventions === 'windows' ? 'C:\\state' : '/state';
  const host = await startTestHost();
  const client = await host.connect({ sessionFs: { initialCwd: '/tmp', sessionStatePath, conventions } });
  const createSessionFsHandler = (uri: string) => {
    const files = stored.get(uri) ?? new MemorySessionFs({ sessionStatePath, conventions });
    stored.set(uri, files);
    return memoryHandler(files);
  };
  return {
    host,
    client,
    create: () => client.createSession({ provider: 'mock', createSessionFsHandler }),
    open: (uri) => client.openSession(uri, { createSessionFsHandler }),
    fork: ({ uri: source }, toTurnId) =>
      client.forkSession({ source, createSessionFsHandler, ...(toTurnId !== undefined && { toTurnId }) }),
    files: async ({ uri }) => stored.get(uri) ?? new MemorySessionFs(),
    restart: async () => {
      await host.dispose();
      return keptByClient(conventions, stored);
    },
    dispose: () => host.dispose(),
  };
}

async function checkpointPaths(files: SessionFs): Promise<string[]> {
  const text = await files.readFile(files.join(files.sessionStatePath ?? '', 'events.jsonl'));
  const records = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return records.filter(({ type }) => type === 'session.checkpoint').map(({ path }) => String(path));
}

describe.each([
  ['on the local disk', () => keptLocally()],
  ['kept by a client', () => keptByClient('posix')],
  ['kept by a client with Windows paths', () => keptByClient('windows')],
] as const)('artifacts %s', (_, start) => {
  let kept: Kept;

  beforeEach(async () => {
    kept = await start();
  });
  afterEach(() => kept.dispose());

  it('are listed with everything to show, and read by their URI', async () => {
    const session = await kept.create();
    expect(await session.listArtifacts()).toEqual({ items: [] });
    expect(await session.plan()).toBeUndefined();
    await run(session, 'research note.md', 'artifact deep/a b.txt', 'checkpoint Half way', 'plan # The plan');
    expect(await session.plan()).toBe('# The plan');
    const { items } = await session.listArtifacts();
    const modifiedAt = expect.any(Number);
    expect(items).toEqual([
      { kind: 'plan', name: 'plan.md', uri: uriOf(session, 'plan', 'plan.md'), size: 10, modifiedAt },
      {
        kind: 'checkpoint',
        name: '001-half-way.md',
        uri: uriOf(session, 'checkpoint', '001-half-way.md'),
        size: 32,
        modifiedAt,
        title: 'Half way',
      },
      { kind: 'file', name: 'deep/a b.txt', uri: uriOf(session, 'file', 'deep/a b.txt'), size: 29, modifiedAt },
      { kind: 'research', name: 'note.md', uri: uriOf(session, 'research', 'note.md'), size: 24, modifiedAt },
    ]);
    const read = await Promise.all(items.map((item) => session.readArtifact(item)));
    expect(read.map((content) => content.text())).toEqual([
      '# The plan',
      '# Half way\n\nAll about Half way.\n',
      'The content of deep/a b.txt.\n',
      'The content of note.md.\n',
    ]);
    expect(read[0]?.mimeType).toBe('text/markdown; charset=utf-8');
    const [, , file] = items;
    const piece = file && (await session.readArtifact(file, { range: { offset: 4, length: 7 } }));
    expect([piece?.text(), piece?.size]).toEqual(['content', 29]);
    expect(notices(session)).toEqual([]);
  });

  it('[ART2] clients learn of a change, and then read the new one', async () => {
    const session = await kept.create();
    const other = await kept.host.connect();
    const theirs = await other.openSession(session.uri);
    const bystander = await kept.host.connect();
    const heard = new Promise((resolve) =>
      bystander.onNotification((event) => {
        const metadata = event.type === 'notify/sessionSummaryChanged' ? event.changes.metadata : undefined;
        if (metadata) resolve(artifactTimes({ metadata }));
      }),
    );
    await run(session, 'plan # One');
    const first = await until(theirs.artifactTimes, ({ plan }) => plan !== undefined, 'a plan');
    expect(await theirs.plan()).toBe('# One');
    expect(await heard).toEqual(first);
    await run(session, 'plan # Two');
    const second = await until(theirs.artifactTimes, ({ plan }) => plan !== first.plan, 'a newer plan');
    expect(second.plan).toBeGreaterThan(first.plan ?? 0);
    expect(await theirs.plan()).toBe('# Two');
    await run(session, 'no-plan');
    await until(theirs.artifactTimes, ({ plan }) => plan === undefined, 'no plan');
    expect([await theirs.plan(), await listed(theirs)]).toEqual([undefined, []]);
    const late = await kept.host.connect();
    expect((await late.openSession(session.uri)).artifactTimes.value).toEqual({});
  });

  it('survive a restart, and continue', async () => {
    const before = await kept.create();
    await run(before, 'plan # Kept', 'artifact a.txt', 'checkpoint One');
    const times = await until(before.artifactTimes, ({ checkpoint }) => checkpoint !== undefined);
    kept = await kept.restart();
    const after = await kept.open(before.uri);
    expect([after.artifactTimes.value, await after.plan()]).toEqual([times, '# Kept']);
    await run(after, 'checkpoint Two');
    expect(await listed(after)).toEqual([
      'plan plan.md',
      'checkpoint 001-one.md One',
      'checkpoint 002-two.md Two',
      'file a.txt',
    ]);
    const files = await kept.files(after);
    expect(await checkpointPaths(files)).toEqual(
      ['001-one.md', '002-two.md'].map((name) => files.join(files.sessionStatePath ?? '', 'checkpoints', name)),
    );
  });

  it('are in a fork too, except compaction summaries of other turns', async () => {
    const source = await kept.create();
    await run(source, 'checkpoint One', 'artifact a.txt', 'checkpoint Two', 'research note.md', 'plan # Plan');
    const [whole, cut, none] = [await kept.fork(source), await kept.fork(source, 't1'), await kept.fork(source, 't2')];
    const all = [
      'plan plan.md',
      'checkpoint 001-one.md One',
      'checkpoint 002-two.md Two',
      'file a.txt',
      'research note.md',
    ];
    expect([await listed(source), await listed(whole)]).toEqual([all, all]);
    const withoutTwo = all.filter((item) => !item.includes('Two'));
    expect([await listed(cut), await listed(none)]).toEqual([withoutTwo, withoutTwo]);
    const files = await kept.files(cut);
    const folder = files.join(files.sessionStatePath ?? '', 'checkpoints');
    expect(await checkpointPaths(files)).toEqual([files.join(folder, '001-one.md')]);
    expect(await files.readFile(files.join(folder, 'index.md'))).toBe('# Checkpoints\n\n- [One](001-one.md)\n');
    expect(cut.artifactTimes.value).toEqual(source.artifactTimes.value);
    await kept.client.disposeSession(source.uri);
    expect((await cut.readArtifact({ uri: uriOf(cut, 'file', 'a.txt') })).text()).toBe('The content of a.txt.\n');
    await run(cut, 'checkpoint Other');
    expect(await listed(cut)).toContain('checkpoint 002-other.md Other');
  });

  it('[ART1] with invalid names are refused: the turn says why, and clients get an error', async () => {
    const session = await kept.create();
    for (const name of ['../evil', '/etc/evil', 'C:\\evil', 'a//b', '..']) {
      await run(session, `artifact ${name}`);
      expect(notices(session)).toEqual([expect.stringContaining("can't be the name of an artifact")]);
    }
    expect(session.confirmed.value.turns.every(({ state }) => state === 'complete')).toBe(true);
    expect(await listed(session)).toEqual([]);
    const { sessionId } = parseSessionUri(session.uri) ?? {};
    const fetch = (path: string) => kept.client.fetchContent(`mock://${sessionId}/${path}`);
    for (const path of ['file/..', 'file/..%5Cworkspace.yaml', 'research/C%3A', 'plan/workspace.yaml']) {
      await expect(fetch(path)).rejects.toMatchObject({ code: ERROR_CODE.invalidParams });
    }
    for (const path of ['file/nothing', 'file/..%2Fworkspace.yaml', 'session/workspace.yaml', 'checkpoint/002-no.md']) {
      await expect(fetch(path)).rejects.toMatchObject({ code: ERROR_CODE.contentNotFound });
    }
  });

  it('[ART3] are paged without losing one that stays', async () => {
    const session = await kept.create();
    await run(session, 'plan', 'checkpoint One');
    const files = await kept.files(session);
    const folder = files.join(files.sessionStatePath ?? '', 'files');
    await files.mkdir(folder, { recursive: true });
    const names = Array.from({ length: 120 }, (__, n) => `${String(n).padStart(3, '0')}.txt`);
    for (const name of names) await files.writeFile(files.join(folder, name), name);
    const first = await session.listArtifacts({ limit: 10 });
    expect(first.items.map(({ name }) => name)).toEqual(['plan.md', '001-one.md', ...names.slice(0, 8)]);
    await files.rm(files.join(folder, '007.txt'));
    const second = await session.listArtifacts({ limit: 10, cursor: first.nextCursor ?? '' });
    expect(second.items.map(({ name }) => name)).toEqual(names.slice(8, 18));
    const all: string[] = [];
    for await (const { name } of session.artifacts({ kind: 'file' })) all.push(name);
    expect(all).toEqual(names.filter((name) => name !== '007.txt'));
    const wrong = session.listArtifacts({ cursor: 'mock://elsewhere/file/a' });
    await expect(wrong).rejects.toMatchObject({ code: ERROR_CODE.invalidParams });
    await expect(session.listArtifacts({ limit: 501 })).rejects.toMatchObject({ code: ERROR_CODE.invalidParams });
  });

  it('are read in ranges when they are large', async () => {
    const session = await kept.create();
    await session.ready();
    const files = await kept.files(session);
    const folder = files.join(files.sessionStatePath ?? '', 'research');
    await files.mkdir(folder, { recursive: true });
    const bytes = Buffer.alloc(MAX_CONTENT_RANGE * 2 + 3, Buffer.from([0, 255, 128, 7]));
    await files.writeFile(files.join(folder, 'big.png'), bytes);
    const [item] = (await session.listArtifacts({ kind: 'research' })).items;
    const content = item && (await session.readArtifact(item));
    expect([content?.size, content?.mimeType]).toEqual([bytes.length, 'image/png']);
    expect(Buffer.from(content?.bytes ?? []).equals(bytes)).toBe(true);
  });
});

describe('artifacts on the local disk', () => {
  let host: TestHost;

  beforeEach(async () => {
    host = await startTestHost();
  });
  afterEach(() => host.dispose());

  it('[ART1] are never read through a link out of their folder', async () => {
    const client = await host.connect();
    const session = await client.createSession({ provider: 'mock' });
    await run(session, 'artifact a.txt');
    await until(session.artifactTimes, ({ file }) => file !== undefined);
    const folder = join(host.stateDir, 'session-state', sessionIdOf(session.uri));
    await symlink('../events.jsonl', join(folder, 'files/log.txt'));
    await symlink(join(host.stateDir, 'token'), join(folder, 'files/token.txt'));
    await symlink('workspace.yaml', join(folder, 'plan.md'));
    await symlink('..', join(folder, 'files/up'));
    expect(await listed(session)).toEqual(['file a.txt']);
    const uris = ['log.txt', 'token.txt', 'up/events.jsonl'].map((name) => uriOf(session, 'file', name));
    // The same files by the other road to them.
    const contents = ['log.txt', 'token.txt'].map((name) => `mock://${sessionIdOf(session.uri)}/${name}`);
    for (const uri of [...uris, uriOf(session, 'plan', 'plan.md')]) {
      await expect(client.fetchContent(uri)).rejects.toMatchObject({ code: ERROR_CODE.permissionDenied });
    }
    for (const uri of contents) await expect(client.fetchContent(uri)).rejects.toThrow();
    const before = await readFile(join(folder, 'workspace.yaml'), 'utf8');
    await run(session, 'artifact log.txt', 'plan # Through a link');
    expect(await listed(session)).toEqual(['file a.txt']);
    expect(await readlink(join(folder, 'files/log.txt'))).toBe('../events.jsonl');
    expect(await readlink(join(folder, 'plan.md'))).toBe('workspace.yaml');
    expect(await readFile(join(folder, 'workspace.yaml'), 'utf8')).toBe(before);
    await symlink('.', join(folder, 'files/circle'));
    expect(await listed(await client.forkSession({ source: session.uri }))).toEqual(['file a.txt']);
  });

  it('may include a database: an agent gets its path, and only the agent creates it', async () => {
    await host.dispose();
    const opened: OpenSessionOptions[] = [];
    class CuriousAgent extends MockAgent {
      override async openSession(options: OpenSessionOptions) {
        opened.push(options);
        return super.openSession(options);
      }
    }
    host = await startTestHost({ agents: [new CuriousAgent()] });
    const client = await host.connect();
    const session = await client.createSession({ provider: 'mock' });
    await session.ready();
    const path = opened[0]?.databasePath ?? '';
    expect(path).toBe(join(await realpath(host.stateDir), 'session-state', sessionIdOf(session.uri), 'session.db'));
    await expect(access(path)).rejects.toThrow('ENOENT');
    await writeFile(path, 'a database');
    const fork = await client.forkSession({ source: session.uri });
    await fork.send('hello');
    await until(fork.confirmed, ({ turns }) => turns.length === 1);
    await expect(access(opened[1]?.databasePath ?? '')).rejects.toThrow('ENOENT');
    expect(await listed(session)).toEqual([]);
  });

  it('that conflict with a folder are reported, and the session continues', async () => {
    const client = await host.connect();
    const session = await client.createSession({ provider: 'mock' });
    await session.ready();
    await mkdir(join(host.stateDir, 'session-state', sessionIdOf(session.uri), 'files/taken'), { recursive: true });
    await run(session, 'artifact taken', 'artifact free');
    expect(await listed(session)).toEqual(['file free']);
  });
});

describe('[ART4] a session without a folder', () => {
  let host: TestHost;

  beforeEach(async () => {
    host = await startTestHost({ storage: statelessStorage() });
  });
  afterEach(() => host.dispose());

  it('works, and every artifact operation says why it fails and what to do', async () => {
    const client = await host.connect();
    const session = await client.createSession({ provider: 'mock' });
    const message = /no folder for its files.*create the session on storage that has a state path/;
    await run(session, 'plan # Lost', 'checkpoint Lost', 'artifact lost.txt', 'hello');
    for (const turn of session.confirmed.value.turns.slice(0, 3)) {
      expect(turn).toMatchObject({ state: 'complete' });
      const told = turn.responseParts.flatMap((part) => (part.kind === 'notice' ? [part.text] : []));
      expect(told).toEqual([expect.stringMatching(message)]);
    }
    expect(notices(session)).toEqual([]);
    expect(session.artifactTimes.value).toEqual({});
    for (const attempt of [session.listArtifacts(), session.plan()]) {
      await expect(attempt).rejects.toMatchObject({
        code: ERROR_CODE.notFound,
        message: expect.stringMatching(message),
      });
    }
    await run(session, 'big-output 100000');
    const fork = await client.forkSession({ source: session.uri, toTurnId: 't4' });
    expect(fork.confirmed.value.turns).toHaveLength(4);
    await expect(fork.listArtifacts()).rejects.toThrow(message);
  });
});
