import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { EventRecorder } from '../../../contract/eventRecorder.js';
import type { Agent, AgentSession, OpenSessionOptions } from '../../../src/agents/agent.js';
import { memorySessionFs } from './memorySessionFs.js';

/** A folder that goes when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-test-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function openOptions(change: Partial<OpenSessionOptions> = {}): Promise<OpenSessionOptions> {
  return {
    sessionId: 's1',
    cwd: change.cwd ?? (await temporaryFolder()),
    sessionFs: memorySessionFs(),
    customizations: [],
    config: {},
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: '/nonexistent' },
    signal: new AbortController().signal,
    ...change,
  };
}

/** A session that is disposed of when the test ends, and what it reported so far. */
export async function openSession(
  agent: Agent,
  change: Partial<OpenSessionOptions> = {},
): Promise<{ session: AgentSession; recorder: EventRecorder; cwd: string }> {
  const options = await openOptions(change);
  const session = await agent.openSession(options);
  onTestFinished(() => session.dispose());
  return { session, recorder: new EventRecorder(session), cwd: options.cwd };
}
