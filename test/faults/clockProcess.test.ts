import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListSessionsResult } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { stopProcesses } from '../../packages/host/src/processes/stopProcesses.js';
import { DeviceTokens } from '../../packages/host/src/server/access/deviceTokens.js';
import { RawClient } from '../support/rawClient.js';
import { type HostProcess, rawSession, runCli, spawnHost, temporaryFolder } from '../support/testHost.js';
import { preload } from './support/alteredHost.js';
import { PATIENCE_MS } from './support/amount.js';

const DAY = 24 * 3_600_000;
const YEAR = 365 * DAY;

/** In the host's process the clock is the real one plus what a file says; it is read again at SIGUSR2. */
const clockFrom = (file: string) =>
  preload(`import { readFileSync } from 'node:fs';
const RealDate = Date;
let offset = 0;
globalThis.Date = class extends RealDate {
  constructor(...args) { if (args.length > 0) super(...args); else super(RealDate.now() + offset); }
  static now() { return RealDate.now() + offset; }
};
process.on('SIGUSR2', () => { offset = Number(readFileSync(${JSON.stringify(file)}, 'utf8')); });`);

describe('the clock of a running host', { timeout: PATIENCE_MS }, () => {
  let stateDir: string;
  let offsetFile: string;
  let host: HostProcess;
  let client: RawClient;

  beforeEach(async () => {
    stateDir = await temporaryFolder();
    offsetFile = join(stateDir, 'offset');
    host = await spawnHost(stateDir, ['--state-dir', stateDir], clockFrom(offsetFile));
    client = await RawClient.open(host);
    await client.request('initialize', { protocolVersion: 2, clientId: 'client' });
  });
  afterEach(async () => {
    await client.end();
    await host.kill('SIGKILL');
    await rm(stateDir, { recursive: true, force: true });
  });

  const isNear = (time: number, offset: number) => Math.abs(time - Date.now() - offset) < DAY / 2;
  /** Resolves when the host's clock is the new one. */
  async function jump(session: string, offset: number): Promise<void> {
    await writeFile(offsetFile, String(offset));
    process.kill(host.pid, 'SIGUSR2');
    for (;;) {
      const { action } = await client.act({ type: 'session/titleChanged', session, title: `jumped by ${offset}` });
      if ('at' in action && isNear(action.at, offset)) return;
    }
  }
  const turn = async (session: string, text: string) => {
    const turnId = crypto.randomUUID();
    client.dispatch({ type: 'session/turnStarted', session, turnId, userMessage: { text } });
    await client.nextAction(session, 'session/turnComplete', (action) => action.turnId === turnId);
  };

  it.each([
    ['a day back', -DAY],
    ['a year forward', YEAR],
    ['a year back', -YEAR],
  ])('that jumps %s stops nothing and loses nothing', async (_, offset) => {
    const session = await rawSession([client]);
    const waiting = await rawSession([client]);
    // Asks before it does something, and waits for the answer across the jump.
    client.dispatch({
      type: 'session/turnStarted',
      session: waiting,
      turnId: 'w',
      userMessage: { text: 'permission' },
    });
    const asked = await client.nextAction(waiting, 'session/permissionRequest');
    await turn(session, 'before');
    await jump(session, offset);
    await turn(session, 'after');
    const { requestId } = asked.request;
    client.dispatch({ type: 'session/permissionResolved', session: waiting, turnId: 'w', requestId, approved: true });
    await client.nextAction(waiting, 'session/turnComplete');
    const made = await rawSession([client]);
    await turn(made, 'made after the jump');
    await jump(session, 0);
    await turn(session, 'back again');
    const { items } = await client.request<ListSessionsResult>('listSessions', { limit: 10 });
    expect(items.map(({ resource }) => resource).sort()).toEqual([session, waiting, made].sort());
    const numbers = client.envelopes.filter((envelope) => !envelope.rejectionReason).map(({ serverSeq }) => serverSeq);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    const { code } = await runCli(['token', 'add', '--name', 'phone', '--role', 'viewer', '--state-dir', stateDir], {
      AGENTHOST_HOME: stateDir,
    });
    expect(code).toBe(0);
    await jump(session, offset);
    // Ends in time, whatever it thinks the time is, and starts again with another one.
    await client.end();
    expect((await host.kill('SIGTERM')).code).toBe(0);
    host = await spawnHost(stateDir);
    client = await RawClient.open(host);
    await client.request('initialize', { protocolVersion: 2, clientId: 'after the restart' });
    const state = await client.stateOf(session);
    expect(state.turns.map(({ userMessage }) => userMessage.text)).toEqual(['before', 'after', 'back again']);
    await turn(session, 'and on');
    const again = await client.request<ListSessionsResult>('listSessions', { limit: 10 });
    expect(again.items).toHaveLength(3);
  });
});

describe('a clock that is set back', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('does not keep the host from killing a process that ignores the first signal', async () => {
    const child = spawn(process.execPath, [
      '-e',
      "process.on('SIGTERM', () => {}); console.log(1); setInterval(() => {}, 1e6)",
    ]);
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    const now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockReturnValue(now);
    const isLeft = () => child.exitCode === null && child.signalCode === null;
    const stopped = stopProcesses(async () => {
      clock.mockReturnValue(now - YEAR);
      return isLeft() && child.pid !== undefined ? [child.pid] : [];
    }, [
      { signal: 'SIGTERM', waitMs: 50 },
      { signal: 'SIGKILL', waitMs: 5_000 },
    ]);
    expect(await stopped).toBe(true);
    expect((await ended)[1]).toBe('SIGKILL');
  });

  it('does not block changes of tokens: a draft from the future was left behind', async () => {
    const stateDir = await temporaryFolder();
    try {
      const tokens = new DeviceTokens(stateDir);
      await tokens.add('phone', 'viewer');
      const draft = `${tokens.path}.new`;
      await writeFile(draft, '');
      const future = new Date(Date.now() + YEAR);
      await utimes(draft, future, future);
      await tokens.add('tablet', 'viewer');
      expect((await tokens.list()).map(({ name }) => name)).toEqual(['phone', 'tablet']);
    } finally {
      await rm(stateDir, { recursive: true, force: true });
    }
  });
});
