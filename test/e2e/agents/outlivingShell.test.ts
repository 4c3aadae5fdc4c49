import { access, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { connect, type HostClient, type SessionHandle } from '@agenthost/client';
import type { SessionState, Turn } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { isGone } from '../../../packages/host/test/agents/support/processes.js';
import { cleanupsOfTests } from '../../support/cleanups.js';
import { eventually } from '../../support/eventually.js';
import { type HostProcess, spawnHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const cleanups = cleanupsOfTests();

async function start(stateDir: string, ...args: string[]): Promise<HostProcess> {
  const host = await spawnHost(stateDir, ['--state-dir', stateDir, '--agents-outlive-host', '10', ...args]);
  cleanups.push(() => host.kill('SIGTERM'));
  return host;
}

async function clientOf({ url, token }: HostProcess): Promise<HostClient> {
  const client = await connect({ url, token });
  cleanups.push(async () => client.close());
  return client;
}

async function shellIn(host: HostProcess, folder: string): Promise<SessionHandle> {
  const session = await (await clientOf(host)).createSession({
    provider: 'shell',
    workingDirectory: `file://${folder}`,
  });
  await session.ready();
  return session;
}

async function run(session: SessionHandle, command: string): Promise<void> {
  await session.send(command);
  await allow(session);
}

async function allow(session: SessionHandle): Promise<void> {
  const [prompt] = await until(session.pendingConfirmations, (prompts) => prompts.length === 1, 'the question');
  await prompt?.approve();
}

function printed({ activeTurn }: SessionState): number {
  const [call] = Object.values(activeTurn?.toolCalls ?? {});
  return call && 'output' in call ? (call.output?.text.length ?? 0) : 0;
}

async function endOf(session: SessionHandle): Promise<Turn> {
  const { turns } = await until(session.confirmed, ({ activeTurn }) => !activeTurn, 'the end of the turn', 30_000);
  return turns.at(-1) ?? expect.fail('no turn');
}

/** All that the newest call printed, as the log has it. */
async function loggedOutput(stateDir: string, uri: string): Promise<string> {
  const id = idOf(uri);
  const log = await readFile(join(stateDir, 'session-state', id, 'events.jsonl'), 'utf8');
  const actions = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).action);
  return actions.map((action) => (action?.type === 'session/toolUpdate' ? (action.output ?? '') : '')).join('');
}

describe('a command of the shell agent, when its host is killed', () => {
  it('goes on, and nothing that it prints is lost or doubled', async () => {
    const stateDir = await cleanups.folder();
    const script = 'i=0; while [ $i -lt 60 ]; do echo "line $i äöü"; i=$((i+1)); sleep 0.05; done; cd /tmp; exit 4';
    let host = await start(stateDir);
    const session = await shellIn(host, stateDir);
    await run(session, script);
    await until(session.confirmed, (state) => printed(state) > 50, 'output');
    for (let kills = 0; kills < 2; kills++) {
      await host.kill('SIGKILL');
      host = await start(stateDir);
    }
    const again = await (await clientOf(host)).openSession(session.uri);
    const turn = await endOf(again);
    expect(turn).toMatchObject({ state: 'complete' });
    const [call] = Object.values(turn.toolCalls ?? {});
    expect(call).toMatchObject({ status: 'completed', result: { exitCode: 4 } });
    const expected = Array.from({ length: 60 }, (_, i) => `line ${i} äöü\r\n`).join('');
    expect(await loggedOutput(stateDir, session.uri)).toBe(expected);
    // What the command did to its terminal counts for the next one.
    await run(again, 'pwd');
    await endOf(again);
    expect(await loggedOutput(stateDir, session.uri)).toBe(`${expected}/tmp\r\n`);
  });

  it('has the end of a command that ended while no host was there, and its whole long output', async () => {
    const stateDir = await cleanups.folder();
    const host = await start(stateDir);
    const session = await shellIn(host, stateDir);
    await run(session, `echo begin; while [ ! -e gone ]; do sleep 0.02; done; seq 1 60000; touch done; kill -9 $$`);
    await until(session.confirmed, (state) => printed(state) > 5, 'output');
    await host.kill('SIGKILL');
    await writeFile(join(stateDir, 'gone'), '');
    await eventually('the end', () => exists(join(stateDir, 'done')));
    const again = await (await clientOf(await start(stateDir))).openSession(session.uri);
    const [call] = Object.values((await endOf(again)).toolCalls ?? {});
    expect(call).toMatchObject({ status: 'completed', result: { error: { code: 'SIGKILL' } } });
    const numbers = Array.from({ length: 60_000 }, (_, i) => `${i + 1}\r\n`).join('');
    expect(await loggedOutput(stateDir, session.uri)).toBe(`begin\r\n${numbers}`);
    const ref = call && 'output' in call ? call.output?.ref : undefined;
    const file = join(stateDir, 'session-state', idOf(session.uri), 'files', basename(ref?.uri ?? ''));
    expect(await readFile(file, 'utf8')).toBe(`begin\r\n${numbers}`);
  });

  it('is asked about again, and runs once when it is allowed', async () => {
    const stateDir = await cleanups.folder();
    const host = await start(stateDir);
    const session = await shellIn(host, stateDir);
    await session.send('echo once >> ran; echo $ANSWER');
    await until(session.pendingConfirmations, (prompts) => prompts.length === 1, 'the question');
    await host.kill('SIGKILL');
    const again = await (await clientOf(await start(stateDir))).openSession(session.uri);
    const [prompt] = await until(again.pendingConfirmations, (prompts) => prompts.length === 1, 'the question');
    await prompt?.approve({ editedToolInput: 'echo edited >> ran; cat' });
    await until(
      again.confirmed,
      ({ activeTurn }) => Object.values(activeTurn?.toolCalls ?? {})[0]?.status === 'running',
    );
    const [id = ''] = Object.keys(again.confirmed.value.activeTurn?.toolCalls ?? {});
    await again.sendInput(id, { kind: 'line', text: 'typed' });
    await until(again.confirmed, (state) => printed(state) > 12, 'the echo');
    await again.sendInput(id, { kind: 'endOfInput' });
    expect(await endOf(again)).toMatchObject({ state: 'complete' });
    expect(await readFile(join(stateDir, 'ran'), 'utf8')).toBe('edited\n');
    expect(await loggedOutput(stateDir, session.uri)).toBe('typed\r\ntyped\r\n');
  });

  it('can be typed into and cancelled by the next host', async () => {
    const stateDir = await cleanups.folder();
    const host = await start(stateDir);
    const session = await shellIn(host, stateDir);
    await run(session, 'echo $$ > p; mv p pid; read a; echo "got $a"; sleep 1000');
    await eventually('the command', () => exists(join(stateDir, 'pid')));
    const pid = Number(await readFile(join(stateDir, 'pid'), 'utf8'));
    await host.kill('SIGKILL');
    const again = await (await clientOf(await start(stateDir))).openSession(session.uri);
    const [id = ''] = Object.keys(again.confirmed.value.activeTurn?.toolCalls ?? {});
    await again.sendInput(id, { kind: 'line', text: 'hello' });
    await until(again.confirmed, (state) => printed(state) > 15, 'the echo');
    expect(isGone(pid)).toBe(false);
    await again.cancel();
    expect(await endOf(again)).toMatchObject({ state: 'cancelled' });
    await eventually('the end of the command', () => isGone(pid));
    await run(again, 'echo next');
    expect(await endOf(again)).toMatchObject({ state: 'complete' });
  });

  it('ends with a host that is told to stop, with its runner', async () => {
    const stateDir = await cleanups.folder();
    const host = await start(stateDir);
    const session = await shellIn(host, stateDir);
    await run(session, '(setsid sleep 1000 & echo $! > p; mv p pid); sleep 1000');
    await eventually('the command', () => exists(join(stateDir, 'pid')));
    const pid = Number(await readFile(join(stateDir, 'pid'), 'utf8'));
    const { pid: runner } = JSON.parse(await readFile(join(stateDir, 'runner/runner.json'), 'utf8'));
    await host.kill('SIGTERM');
    await eventually('the end', () => isGone(pid) && isGone(runner));
    expect(await exists(join(stateDir, 'runner'))).toBe(false);
  });

  it('ends at the next start when agents do not outlive that host, and its turn says so', async () => {
    const stateDir = await cleanups.folder();
    const host = await start(stateDir);
    const session = await shellIn(host, stateDir);
    await run(session, 'echo $$ > p; mv p pid; sleep 1000');
    await eventually('the command', () => exists(join(stateDir, 'pid')));
    const pid = Number(await readFile(join(stateDir, 'pid'), 'utf8'));
    await host.kill('SIGKILL');
    expect(isGone(pid)).toBe(false);
    const other = await spawnHost(stateDir);
    cleanups.push(() => other.kill('SIGTERM'));
    expect(isGone(pid)).toBe(true);
    const again = await (await clientOf(other)).openSession(session.uri);
    expect(await endOf(again)).toMatchObject({ state: 'error', error: { errorType: 'interrupted' } });
  });
});

function idOf(uri: string): string {
  return uri.split(':/')[1] ?? '';
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
