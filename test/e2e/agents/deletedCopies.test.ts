import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SessionHandle } from '@agenthost/client';
import { AcpAgents } from '@agenthost/host';
import { ERROR_CODE } from '@agenthost/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AcpAgentSpec } from '../../../packages/host/src/agents/acp/acpAgentSpec.js';
import type { Program } from '../../../packages/host/src/agents/acp/acpProcess.js';
import { deleteConversation } from '../../../packages/host/src/agents/acp/deleteConversation.js';
import { MESSAGE_LIMITS } from '../../../packages/host/src/agents/acp/turn/messageStream.js';
import { RECORDED, recordedHome } from '../../../packages/host/test/agents/native/nativeHome.js';
import { processesIn } from '../../../packages/host/test/agents/support/processes.js';
import { STUB, stubEntry, writeAgents } from '../../support/agents/stubAgent.js';
import { startTestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const KEPT = { data: { code: 'agentCopyKept' } };

interface World {
  readonly provider?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly changes?: (stateDir: string) => object;
  readonly home?: string;
}

async function start({ provider = 'stub', env = { STUB_DELETE: '1' }, changes, home }: World = {}) {
  const stateDir = await realpath(await temporaryFolder());
  const cwd = join(stateDir, 'project');
  await mkdir(cwd);
  await writeAgents(stateDir, { [provider]: stubEntry(stateDir, env, changes?.(stateDir)) });
  const host = await startTestHost({
    stateDir,
    env: { ...process.env, HOME: home ?? stateDir, XDG_DATA_HOME: undefined },
    nativeSessions: home !== undefined,
    agentSources: [new AcpAgents()],
  });
  onTestFinished(async () => {
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
  });
  const client = await host.connect();
  const open = async () => {
    const session = await client.createSession({ provider, workingDirectory: pathToFileURL(cwd).href });
    await session.ready();
    return session;
  };
  const memories = () => readdir(join(stateDir, 'stub-memory')).catch(() => []);
  return { host, client, stateDir, cwd, open, memories };
}

async function say(session: SessionHandle, text: string): Promise<void> {
  const turns = session.confirmed.value.turns.length;
  await session.send(text);
  await until(session.confirmed, (state) => state.turns.length > turns && !state.activeTurn, 'the end of the turn');
}

const isListed = async ({ client }: Awaited<ReturnType<typeof start>>, session: SessionHandle) =>
  (await client.listSessions()).items.some(({ resource }) => resource === session.uri);

describe('a session that is deleted with the copy of its agent', () => {
  it('is gone in both places, and the copies of others are there', async () => {
    const world = await start();
    const [one, other] = [await world.open(), await world.open()];
    await say(one, 'first');
    await say(other, 'second');
    expect(await world.memories()).toHaveLength(2);
    await world.client.disposeSession(one.uri, { agentCopy: 'delete' });
    expect(await isListed(world, one)).toBe(false);
    expect(await world.memories()).toHaveLength(1);
    // By default the copy stays.
    await world.client.disposeSession(other.uri);
    expect(await world.memories()).toHaveLength(1);
    const { items } = await world.client.devices.fetchAudit({ limit: 50 });
    expect(JSON.stringify(items)).toContain("also in its agent's store");
  });

  it.each([
    { env: {}, why: 'Stub has no way to delete a conversation' },
    { env: { STUB_DELETE: 'fails' }, why: 'the store is locked' },
    { env: { STUB_DELETE: 'crash' }, why: 'ended unexpectedly' },
  ])('goes on as it was when the agent does not delete it: $why', async ({ env, why }) => {
    const world = await start({ env });
    const session = await world.open();
    await say(session, 'first');
    const deletion = world.client.disposeSession(session.uri, { agentCopy: 'delete' });
    await expect(deletion).rejects.toMatchObject({ ...KEPT, message: expect.stringContaining(why) });
    expect(await isListed(world, session)).toBe(true);
    await say(session, 'second');
    // It has resumed the same conversation.
    const [memory = ''] = await world.memories();
    expect(JSON.parse(await readFile(join(world.stateDir, 'stub-memory', memory), 'utf8'))).toEqual([
      'first',
      'second',
    ]);
    await world.client.disposeSession(session.uri);
  });

  it('is kept while a turn runs', async () => {
    const world = await start();
    const session = await world.open();
    await session.send('endless');
    await until(session.confirmed, ({ activeTurn }) => activeTurn !== undefined, 'the turn');
    const deletion = world.client.disposeSession(session.uri, { agentCopy: 'delete' });
    await expect(deletion).rejects.toMatchObject({ ...KEPT, message: expect.stringContaining('A turn runs') });
    await session.cancel();
    await until(session.confirmed, ({ activeTurn }) => !activeTurn, 'the end');
    await expect
      .poll(() => world.client.disposeSession(session.uri, { agentCopy: 'delete' }).then(() => 'done', String), {
        timeout: 20_000,
      })
      .toBe('done');
    expect(await world.memories()).toEqual([]);
  });

  it('is for owners only', async () => {
    const world = await start();
    const session = await world.open();
    await say(session, 'first');
    const token = await world.host.host.deviceTokens.add('phone', 'driver');
    // The host notices a new token a little later.
    await expect.poll(() => world.host.connect({ token }).then(() => 'connected', String)).toBe('connected');
    const client = await world.host.connect({ token });
    await expect(client.disposeSession(session.uri, { agentCopy: 'delete' })).rejects.toMatchObject({
      code: ERROR_CODE.permissionDenied,
    });
    const id = encodeURIComponent(session.uri);
    const http = await fetch(
      new URL(`/api/v1/sessions/${id}?agentCopy=delete`, world.host.url.href.replace(/^ws/, 'http')),
      {
        method: 'DELETE',
        headers: { authorization: `Bearer ${token}` },
      },
    );
    expect(http.status).toBe(403);
    expect(await world.memories()).toHaveLength(1);
    await client.disposeSession(session.uri);
  });

  it('is deleted once when two ask for it, and a message that comes meanwhile begins nothing', async () => {
    const world = await start({ env: { STUB_DELETE: 'held' } });
    const session = await world.open();
    await say(session, 'first');
    const deletion = world.client.disposeSession(session.uri, { agentCopy: 'delete' });
    await expect.poll(world.memories, { timeout: 20_000 }).toContain('held');
    const others = Promise.allSettled([
      session.send('meanwhile'),
      world.client.disposeSession(session.uri, { agentCopy: 'delete' }),
    ]);
    await until(session.confirmed, ({ activeTurn }) => activeTurn !== undefined, 'the turn');
    await rm(join(world.stateDir, 'stub-memory', 'held'));
    await deletion;
    await others;
    expect(await isListed(world, session)).toBe(false);
    expect(await world.memories()).toEqual([]);
  });

  it('has nothing to delete when nothing was said, or when the agent keeps nothing', async () => {
    const world = await start({ env: {} });
    await world.client.disposeSession((await world.open()).uri, { agentCopy: 'delete' });
    const shell = await world.client.createSession({ provider: 'mock' });
    await shell.ready();
    await say(shell, 'hello');
    await world.client.disposeSession(shell.uri, { agentCopy: 'delete' });
    expect((await world.client.listSessions()).items).toEqual([]);
  });
});

describe('a conversation of a terminal', () => {
  const CLAUDE = `claude/${RECORDED.claude}`;

  it('is kept when somebody spoke there since, and when the agent only says that it deleted it', async () => {
    const home = await recordedHome();
    const world = await start({ provider: 'claude', home });
    const path = join(home, '.claude/projects/-work-uploader', `${RECORDED.claude}.jsonl`);
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll('/work/uploader', world.cwd));
    const then = Date.now() / 1_000 - 3_600;
    await utimes(path, then, then);
    const uri = `claude:/${crypto.randomUUID()}`;
    await world.client.native.continue(CLAUDE, uri);
    const told = world.client.disposeSession(uri, { agentCopy: 'delete' });
    await expect(told).rejects.toMatchObject({ ...KEPT, message: expect.stringContaining('and has not') });
    const message = { role: 'user', content: 'said in a terminal' };
    await appendFile(path, `${JSON.stringify({ type: 'user', uuid: 'u-more', message, timestamp: new Date() })}\n`);
    const deletion = world.client.disposeSession(uri, { agentCopy: 'delete' });
    await expect(deletion).rejects.toMatchObject({ ...KEPT, message: expect.stringContaining('"said in a terminal"') });
    expect(existsSync(path)).toBe(true);
  });
});

describe('a program that deletes conversations', () => {
  const script = (stateDir: string) => ({
    deleteProgram: [
      process.execPath,
      '-e',
      `require('fs').writeFileSync(${JSON.stringify(join(stateDir, 'deleted'))}, process.cwd() + ' ' + process.argv.at(-1))`,
    ],
  });

  it('runs in an empty folder, with the id', async () => {
    const world = await start({ env: {}, changes: script });
    const session = await world.open();
    await say(session, 'first');
    await world.client.disposeSession(session.uri, { agentCopy: 'delete' });
    const [memory = ''] = await world.memories();
    const [folder = '', id] = (await readFile(join(world.stateDir, 'deleted'), 'utf8')).split(' ');
    expect(folder).toContain(join(world.stateDir, 'agents', '.empty-'));
    expect(existsSync(folder)).toBe(false);
    expect(`${id}.json`).toBe(memory);
  });

  it('that needs the folder of the session is not run where that is not trusted', async () => {
    const world = await start({ provider: 'gemini', env: {}, changes: script });
    const session = await world.open();
    await say(session, 'first');
    await mkdir(join(world.cwd, '.gemini'));
    await writeFile(join(world.cwd, '.gemini/settings.json'), '{}');
    const deletion = world.client.disposeSession(session.uri, { agentCopy: 'delete' });
    await expect(deletion).rejects.toMatchObject({ ...KEPT, message: expect.stringContaining('not trusted') });
    expect(existsSync(join(world.stateDir, 'deleted'))).toBe(false);
    await rm(join(world.cwd, '.gemini'), { recursive: true });
    await world.client.disposeSession(session.uri, { agentCopy: 'delete' });
    expect(await readFile(join(world.stateDir, 'deleted'), 'utf8')).toContain(`${world.cwd} `);
  });

  it('and an agent that does not answer are ended', async () => {
    const stateDir = await realpath(await temporaryFolder());
    onTestFinished(() => rm(stateDir, { recursive: true, force: true }));
    const deletion = (deleteProgram?: Program) =>
      deleteConversation({
        spec: { displayName: 'Stub', provider: 'stub' } as AcpAgentSpec,
        limits: MESSAGE_LIMITS,
        program: { path: process.execPath, args: [STUB] },
        deleteProgram,
        nativeSessionId: 'one',
        cwd: undefined,
        env: { PATH: process.env['PATH'] ?? '', STUB_DELETE: 'never', STUB_MEMORY: join(stateDir, 'stub-memory') },
        stateDir,
        timeoutMs: 5_000,
        signal: AbortSignal.timeout(60_000),
      });
    await expect(deletion()).rejects.toThrow('Stub did not delete the conversation');
    const waiting = { path: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] };
    await expect(deletion(waiting)).rejects.toThrow('Stub could not delete it');
    expect(await processesIn(stateDir)).toEqual([]);
  });

  it('gets no id that it would take for an option', async () => {
    const stateDir = await temporaryFolder();
    onTestFinished(() => rm(stateDir, { recursive: true, force: true }));
    const program = { path: process.execPath, args: [] };
    const deletion = deleteConversation({
      spec: { displayName: 'Stub', provider: 'stub' } as AcpAgentSpec,
      limits: MESSAGE_LIMITS,
      program,
      deleteProgram: program,
      nativeSessionId: '--version',
      cwd: stateDir,
      env: {},
      stateDir,
      timeoutMs: 10_000,
      signal: AbortSignal.timeout(10_000),
    });
    await expect(deletion).rejects.toThrow('no program can be told');
  });
});
