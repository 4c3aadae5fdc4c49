import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { CommandFailedError, type HostClient, type SessionHandle } from '@agenthost/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DeviceTokens } from '../../../packages/host/src/server/access/deviceTokens.js';
import { TalkingAgent } from '../../support/agents/talkingAgent.js';
import { RawClient } from '../../support/rawClient.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const run = promisify(execFile);

describe('going back in a conversation', () => {
  let stateDir: string;
  let folder: string;
  let host: TestHost;
  let client: HostClient;
  let agent: TalkingAgent;
  let devices: DeviceTokens;

  const start = async () => {
    agent = new TalkingAgent(folder);
    host = await startTestHost({ stateDir, snapshots: 'all', agents: [agent] });
    client = await host.connect({ clientInfo: { name: 'Mira' } });
  };
  beforeEach(async () => {
    stateDir = await temporaryFolder();
    folder = join(stateDir, 'project');
    await mkdir(folder);
    await writeFile(join(folder, 'a.txt'), 'begin\n');
    const env = { PATH: process.env['PATH'] ?? '', HOME: stateDir, GIT_CONFIG_NOSYSTEM: '1' };
    for (const args of [
      ['init', '-q'],
      ['add', '-A'],
      ['-c', 'user.name=a', '-c', 'user.email=b@c', 'commit', '-qm1'],
    ])
      await run('git', args, { cwd: folder, env });
    devices = new DeviceTokens(stateDir);
    await start();
  });
  afterEach(async () => {
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
  });

  const made = async (): Promise<SessionHandle> => {
    const workingDirectory = pathToFileURL(folder).href;
    const session = await client.createSession({ provider: 'talking', workingDirectory });
    await session.ready();
    return session;
  };
  const said = ({ confirmed }: SessionHandle) => confirmed.value.turns.map(({ userMessage }) => userMessage.text);
  const say = async (session: SessionHandle, text: string) => {
    await session.send(text);
    await until(
      session.confirmed,
      ({ activeTurn, turns }) => !activeTurn && turns.at(-1)?.userMessage.text === text,
      'the end of the turn',
    );
  };
  const code = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return error instanceof CommandFailedError ? error.code : error;
  };
  const idOf = (session: SessionHandle, at: number) => session.confirmed.value.turns[at]?.id ?? '';
  const file = () => readFile(join(folder, 'a.txt'), 'utf8');

  it('[CUT1] [BACK1] [BACK2] removes turns, restores files, and the agent knows what remains', async () => {
    const session = await made();
    for (const text of ['one', 'two', 'three']) await say(session, text);
    expect(await file()).toBe('three');
    const done = await client.work.rewindSession(session.uri, { turnId: idOf(session, 1), restoreFiles: true });
    expect(done).toMatchObject({ removed: 2, restored: { count: 1 } });
    expect(await file()).toBe('one');
    await until(session.confirmed, ({ turns }) => turns.length === 2, 'the notice');
    expect(session.confirmed.value.turns[1]).toMatchObject({
      origin: 'agent',
      responseParts: [
        { kind: 'notice', text: 'Mira went back to before turn 2: 2 turns were removed. 1 file was restored.' },
      ],
    });
    await say(session, 'four');
    expect(said(session)).toEqual(['one', '', 'four']);
    expect(agent.opened.at(-1)).toContain('one');
    expect(agent.opened.at(-1)).not.toContain('two');
    await client.work.restoreFiles(session.uri, { undo: done.restored?.undo ?? '' });
    expect(await file()).toBe('three');

    // The log has it: another host, and whoever reads older turns, sees the same.
    await host.dispose();
    await start();
    const again = await client.openSession(session.uri);
    expect(said(again).slice(0, 3)).toEqual(['one', '', 'four']);
    expect(again.confirmed.value.truncations).toBe(1);
    expect(await code(client.work.rewindSession(session.uri, { turnId: 'none' }))).toBe(-32008);
  });

  it('[BACK1] goes back to the very first message, and leaves files alone unless asked', async () => {
    const session = await made();
    await say(session, 'one');
    expect(await client.work.rewindSession(session.uri, { turnId: idOf(session, 0) })).toEqual({ removed: 1 });
    expect(await file()).toBe('one');
    await say(session, 'another');
    expect(said(session)).toEqual(['', 'another']);
    expect(agent.opened.at(-1)).toBe('');
  });

  it('[BACK1] is refused while a turn runs, without the role driver, and for unknown turns', async () => {
    const session = await made();
    await say(session, 'one');
    const turnId = idOf(session, 0);
    const viewer = await RawClient.open({ url: host.url, token: await devices.add('a viewer', 'viewer') });
    await viewer.request('initialize', { protocolVersion: 2, clientId: 'v' });
    const refused = await viewer.refusal('rewindSession', { session: session.uri, turnId });
    expect(refused.data).toEqual({ role: 'viewer', needs: 'driver' });
    await viewer.end();
    await session.send('wait');
    expect(await code(client.work.rewindSession(session.uri, { turnId }))).toBe(-32004);
    await session.cancel();
    await until(session.confirmed, ({ activeTurn }) => !activeTurn, 'the end of the turn');
    expect(said(session)).toEqual(['one', 'wait']);
  });

  it('[BACK4] a client of version 1 takes the session anew', async () => {
    const session = await made();
    for (const text of ['one', 'two']) await say(session, text);
    const old = await RawClient.open(host);
    await old.request('initialize', { protocolVersion: 1, clientId: 'old' });
    await old.request('subscribe', { resource: session.uri });
    await client.work.rewindSession(session.uri, { turnId: idOf(session, 1) });
    await old.closed;
    const next = await RawClient.open(host);
    const params = { clientId: 'old', protocolVersion: 1, lastSeenServerSeq: 0, subscriptions: [session.uri] };
    expect(JSON.stringify(await next.request('reconnect', params))).not.toContain('"two"');
    await next.end();
  });
});
