import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSessionUri, type Turn } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HISTORY_LIMITS } from '../../../packages/host/src/sessions/sessionLimits.js';
import { HeardLog } from '../../support/heardLog.js';
import { say } from '../../support/say.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';

describe('a session whose log is long', () => {
  let stateDir: string;
  let host: TestHost;
  let log: HeardLog;
  let uri: string;
  let turns: readonly Turn[];

  async function start(options: { sessionIdleMs?: number } = {}): Promise<void> {
    log = new HeardLog();
    host = await startTestHost({ stateDir, log, ...options });
  }

  const file = (name: string) => join(stateDir, 'session-state', parseSessionUri(uri)?.sessionId ?? '', name);

  beforeEach(async () => {
    stateDir = await temporaryFolder();
    await start();
    const client = await host.connect();
    const session = await client.createSession({ provider: 'mock' });
    await session.ready();
    for (let n = 1; n <= 12; n++) await say(session, `${n} ${'long '.repeat(2_000)}`);
    ({ uri } = session);
    ({ turns } = session.confirmed.value);
    await host.dispose();
  });
  afterEach(async () => {
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true });
  });

  it('has a snapshot, and is the same after a restart', async () => {
    expect((await stat(file('events.checkpoint.json'))).size).toBeGreaterThan(10_000);
    await start();
    const client = await host.connect();
    const session = await client.openSession(uri);
    expect(session.confirmed.value.turns).toEqual(turns);
    await say(session, 'and now?');
    expect(log.messages).toEqual([]);
  });

  it('is reported as damaged, in the background, where opening it does not read', async () => {
    const bytes = await readFile(file('events.jsonl'));
    const byte = bytes.indexOf('"userMessage":{"text":"2 ');
    const line = bytes.subarray(0, byte).toString('latin1').split('\n').length;
    bytes[byte + 40] = 0x58;
    await writeFile(file('events.jsonl'), bytes);
    await start();
    const client = await host.connect();
    const session = await client.openSession(uri);
    // Nothing is lost: the snapshot has it.
    expect(session.confirmed.value.turns).toEqual(turns);
    expect(await log.heard(/can't be read/)).toContain(`line ${line} of its log can't be read`);
    expect(await readFile(file('events.jsonl.corrupt'), 'utf8')).toContain('"text":"2 long');
    await say(session, 'go on');
  });

  it('that was replaced is reported as such, and follows the log', async () => {
    const bytes = await readFile(file('events.jsonl'));
    // Before the first snapshot, wherever in the burst that was.
    const end = bytes.indexOf('\n', HISTORY_LIMITS.minSnapshotBytes / 2) + 1;
    await writeFile(file('events.jsonl'), bytes.subarray(0, end));
    await start();
    const client = await host.connect();
    const session = await client.openSession(uri);
    expect(await log.heard(/does not fit its log/)).toContain('read as a whole');
    const left = session.confirmed.value.turns;
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThan(12);
    const whole = left.filter(({ state }) => state === 'complete');
    expect(whole).toEqual(turns.slice(0, whole.length));
  });

  it('is unloaded while it is checked', async () => {
    await start({ sessionIdleMs: 10 });
    const client = await host.connect();
    for (let round = 0; round < 5; round++) {
      const session = await client.openSession(uri);
      expect(session.confirmed.value.turns).toEqual(turns);
      session.dispose();
    }
  });
});
