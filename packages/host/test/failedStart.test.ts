import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { AgentSource } from '../src/agents/agentSource.js';
import { Host } from '../src/host.js';

it('a failed start leaves nothing running, and the state root usable', async () => {
  const stateDir = await mkdtemp(join(tmpdir(), 'agenthost-failed-start-'));
  onTestFinished(() => rm(stateDir, { recursive: true, force: true }));
  const happened: string[] = [];
  const works: AgentSource = {
    start: async () => {
      happened.push('started');
      return { dispose: () => happened.push('disposed') };
    },
  };
  const fails: AgentSource = { start: () => Promise.reject(new Error('no such source')) };
  const options = { stateDir, env: {}, agents: [] };
  await expect(Host.start({ ...options, agentSources: [works, fails] })).rejects.toThrow('no such source');
  expect(happened).toEqual(['started', 'disposed']);
  const next = await Host.start({ ...options, agentSources: [works] });
  await next.close();
});
