import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostClient, SessionHandle } from '@agenthost/client';
import type { ToolCallState } from '@agenthost/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeviceTokens } from '../../../packages/host/src/server/access/deviceTokens.js';
import { RawClient } from '../../support/rawClient.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const line = (text: string) => ({ kind: 'line', text }) as const;
const PASSWORD = 'a-password-that-nobody-may-keep';

describe('input for a running command', () => {
  let stateDir: string;
  let host: TestHost;
  let ada: HostClient;
  let mira: HostClient;
  const tokens = new Map<string, string>();
  beforeAll(async () => {
    stateDir = await temporaryFolder();
    for (const role of ['viewer', 'approver'] as const) {
      tokens.set(role, await new DeviceTokens(stateDir).add(`the ${role}`, role));
    }
    host = await startTestHost({ stateDir });
    ada = await host.connect({ clientInfo: { name: 'Ada' } });
    mira = await host.connect({ clientInfo: { name: 'Mira' } });
  });
  afterAll(async () => {
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
  });

  const callOf = (session: SessionHandle): ToolCallState | undefined => {
    const { activeTurn, turns } = session.confirmed.value;
    return Object.values(activeTurn?.toolCalls ?? {})[0] ?? turns.at(-1)?.toolCalls[0];
  };
  /** A command that runs and has printed `ready`. */
  const run = async (command: string) => {
    const hers = await ada.createSession({ provider: 'shell' });
    await hers.ready();
    const his = await mira.openSession(hers.uri);
    await hers.send(command);
    const [question] = await until(hers.pendingConfirmations, (prompts) => prompts.length === 1, 'the question');
    await question?.approve();
    await printed(hers, 'ready');
    return { hers, his, call: callOf(hers) as ToolCallState };
  };
  const printed = (session: SessionHandle, text: string) =>
    until(session.confirmed, () => outputOf(session).includes(text), text);
  const outputOf = (session: SessionHandle) => {
    const call = callOf(session);
    return (call && 'output' in call && call.output?.text) || '';
  };
  const ended = async (session: SessionHandle) => {
    await until(session.confirmed, ({ activeTurn }) => activeTurn === undefined, 'the end of the turn');
    return callOf(session);
  };

  it('[VAL10] comes from any client, all see who gave it, and its text is in no log and no other client', async () => {
    const raw = await RawClient.open(host);
    await raw.request('initialize', { protocolVersion: 2, clientId: 'raw' });
    const { hers, his, call } = await run(
      'stty -echo; echo ready; read a; stty echo; echo "got $(printf %s "$a" | wc -c)"; read b; echo "got $b"',
    );
    await raw.request('subscribe', { resource: hers.uri });
    await his.sendInput(call.toolCallId, line(PASSWORD));
    await printed(hers, `got ${PASSWORD.length}`);
    expect(callOf(hers)).toMatchObject({
      takesInput: true,
      lastInput: { kind: 'line', by: { name: 'Mira' }, count: 1 },
    });
    await hers.sendInput(call.toolCallId, line('shown'));
    const done = await ended(his);
    expect(done).toMatchObject({ status: 'completed', lastInput: { by: { name: 'Ada' }, count: 2 } });
    expect(outputOf(his)).toBe(`ready\r\ngot ${PASSWORD.length}\r\nshown\r\ngot shown\r\n`);
    await raw.fence();
    expect(raw.envelopes.some(({ action }) => action.type === 'session/toolInput')).toBe(true);
    expect(JSON.stringify(raw.envelopes)).not.toContain(PASSWORD);
    await raw.end();
    expect(await filesWith(stateDir, 'session/toolInput')).not.toEqual([]);
    expect(await filesWith(stateDir, PASSWORD)).toEqual([]);
  });

  it('ends with Ctrl+D, and Ctrl+C interrupts', async () => {
    const { hers, his, call } = await run('echo ready; cat; echo over; sh -c "echo asleep; exec sleep 1000"');
    await his.sendInput(call.toolCallId, { kind: 'endOfInput' });
    await printed(hers, 'asleep');
    expect(outputOf(hers)).toContain('over');
    await his.sendInput(call.toolCallId, { kind: 'interrupt' });
    expect(await ended(hers)).toMatchObject({
      result: { exitCode: 130, success: false },
      lastInput: { kind: 'interrupt' },
    });
  });

  it('is given once, however often it is sent', async () => {
    const { hers, call } = await run('echo ready; cat');
    const raw = await RawClient.open(host);
    await raw.request('initialize', { protocolVersion: 2, clientId: 'twice' });
    await raw.request('subscribe', { resource: hers.uri });
    const { id: turnId = '' } = hers.confirmed.value.activeTurn ?? {};
    const { toolCallId } = call;
    const action = {
      type: 'session/toolInput',
      session: hers.uri,
      turnId,
      toolCallId,
      kind: 'line',
      text: 'once',
    } as const;
    const params = { clientSeq: 7, action: { ...action, at: 1 } };
    for (let n = 0; n < 3; n++) raw.notify('dispatchAction', params);
    await raw.fence();
    const echoes = raw.envelopes.filter((one) => one.action.type === 'session/toolInput');
    expect(echoes.map(({ repeated = false }) => repeated)).toEqual([false, true, true]);
    await hers.sendInput(toolCallId, { kind: 'endOfInput' });
    await ended(hers);
    // Typed once, and printed once by the program.
    expect(outputOf(hers)).toBe('ready\r\nonce\r\nonce\r\n');
    await raw.end();
  });

  it('[VAL9] is refused when the call has ended, takes none, or its program reads nothing', async () => {
    const { hers, his, call } = await run('echo ready; exec sleep 1000');
    await expect(hers.sendInput('none', line('x'))).rejects.toMatchObject({ rejection: { code: 'callNotRunning' } });
    await expect(hers.sendInput(call.toolCallId, line('ä'.repeat(3_000)))).rejects.toMatchObject({
      rejection: { code: 'inputTooLong' },
    });
    await expect(hers.sendInput(call.toolCallId, line('\u0003'))).rejects.toMatchObject({
      rejection: { code: 'invalidAction' },
    });
    const long = line('x'.repeat(4_000));
    const flood = await Promise.allSettled(Array.from({ length: 60 }, () => his.sendInput(call.toolCallId, long)));
    const refused = flood.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(10);
    expect(refused[0]).toMatchObject({ reason: { rejection: { code: 'inputFull' } } });
    await hers.sendInput(call.toolCallId, { kind: 'interrupt' });
    expect(await ended(hers)).toMatchObject({ result: { exitCode: 130 } });
    await expect(hers.sendInput(call.toolCallId, line('x'))).rejects.toMatchObject({
      rejection: { code: 'callNotRunning' },
    });
  });

  it('[VER6] is for drivers, and unknown to a client of version 1', async () => {
    const { hers, call } = await run('echo ready; read x; echo "got $x"');
    const { toolCallId } = call;
    for (const role of ['viewer', 'approver'] as const) {
      const theirs = await (await host.connect({ token: tokens.get(role) ?? '' })).openSession(hers.uri);
      await expect(theirs.sendInput(toolCallId, line('x'))).rejects.toThrow(/role/);
    }
    const older = await RawClient.open(host);
    await older.request('initialize', { protocolVersion: 1, clientId: 'old' });
    await older.request('subscribe', { resource: hers.uri });
    const { id: turnId = '' } = hers.confirmed.value.activeTurn ?? {};
    const own = { type: 'session/toolInput', session: hers.uri, turnId, toolCallId, kind: 'line', text: 'x' } as const;
    expect((await older.act(own)).rejectionReason).toBe('unknown action');
    await hers.sendInput(toolCallId, line('y'));
    expect((await ended(hers))?.status).toBe('completed');
    await older.fence();
    expect(older.envelopes.filter(({ action }) => action.type === 'session/toolInput' && action !== own)).toHaveLength(
      1,
    );
    expect(outputOf(hers)).toContain('got y');
    await older.end();
  });
});

/** The files below a folder that contain a text. */
async function filesWith(folder: string, text: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const found = await Promise.all(files.map(async (file) => ((await readFile(file)).includes(text) ? [file] : [])));
  return found.flat();
}
