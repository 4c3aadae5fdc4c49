import { MockAgent, ShellAgent } from '@agenthost/host';
import type { AgentInfo } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { ScriptedAgent } from '../../../../test/support/agents/scriptedAgent.js';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { until } from '../../../../test/support/until.js';
import type { AgentRegistry } from '../../src/agents/agentRegistry.js';
import { ClusterAgents } from '../../src/cluster/clusterAgents.js';
import { startAt } from './support/placedHosts.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

const scripted = (provider: string, isAvailable = true) =>
  new ScriptedAgent({
    provider,
    displayName: provider,
    script: () => [],
    ...(!isAvailable && {
      availability: { state: 'unavailable', reason: 'Not there.', howToFix: 'Install it.', installable: {} },
    }),
  });

const states = (agents: readonly AgentInfo[]) =>
  agents.map(({ provider, availability }) => `${provider} ${availability.state}`).toSorted();

describe('the agents that clients see', () => {
  it('are those of all living hosts, as they come, change and go', { timeout: 60_000 }, async () => {
    const database = await postgres.server.newDatabase();
    let registry: AgentRegistry | undefined;
    const source = {
      start: async (context: { readonly registry: AgentRegistry }) => {
        registry = context.registry;
        return { dispose: () => {} };
      },
    };
    const one = await startAt(cleanups, database, 'north', { agents: [new MockAgent(), scripted('both', false)] });
    const { state } = (await one.connect()).root;
    const seen = (...wanted: string[]) =>
      until(state, ({ agents }) => states(agents).join() === wanted.toSorted().join(), wanted.join(), 20_000);
    expect(states(state.value.agents)).toEqual(['both unavailable', 'mock available']);
    // Clients can't install on a machine that they don't know.
    expect(state.value.agents.find(({ provider }) => provider === 'both')?.availability).not.toHaveProperty(
      'installable',
    );
    const agents = [new ShellAgent(), scripted('both')];
    const two = await startAt(cleanups, database, 'south', { agents, agentSources: [source] });
    await seen('both available', 'mock available', 'shell available');
    const there = (await two.connect()).root.state;
    await until(there, ({ agents: all }) => states(all).includes('mock available'), 'mock', 20_000);
    registry?.register(scripted('late'));
    await registry?.refresh();
    await seen('both available', 'late available', 'mock available', 'shell available');
    await registry?.remove('late');
    await seen('both available', 'mock available', 'shell available');
    await two.host.close();
    await seen('both unavailable', 'mock available');
  });

  it('are bounded, and what another host tells wrongly is left out', () => {
    let told: readonly AgentInfo[] = [];
    const agents = new ClusterAgents('here', (infos) => {
      told = infos;
    });
    const info = (provider: string, more: object = {}) => ({
      provider,
      displayName: provider,
      description: '',
      models: [],
      availability: { state: 'available' },
      ...more,
    });
    agents.setAlive(['here', 'a', 'b'], () => true);
    agents.setOther('a', [info('good'), { provider: 'half' }, 7, null, info('huge', { description: 'x'.repeat(1e6) })]);
    expect(states(told)).toEqual(['good available']);
    for (const nothing of [undefined, null, 'x', {}]) agents.setOther('b', nothing);
    expect(agents.at('b', 'good')).toBe('none');
    expect(agents.at('c', 'good')).toBe('unknown');
    agents.setOther(
      'b',
      Array.from({ length: 5_000 }, (_, n) => info(`agent-${n}`)),
    );
    expect(told.length).toBe(200);
    // Silent, but its link is there: it counts again as soon as it is alive.
    agents.setAlive(['here'], (id) => id === 'a');
    expect(states(told)).toEqual([]);
    agents.setAlive(['here', 'a', 'b'], () => true);
    expect(states(told)).toEqual(['good available']);
  });
});
