import type { AgentInfo } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../src/agents/agent.js';
import { AgentRegistry } from '../../src/agents/agentRegistry.js';
import { MockAgent } from '../../src/agents/mock/mockAgent.js';

function agent(provider: string, change: Partial<Agent> = {}): Agent {
  return {
    descriptor: { provider, displayName: provider, description: '' },
    availability: async () => ({ state: 'available' }),
    listModels: async () => [],
    openSession: () => Promise.reject(new Error('not here')),
    dispose: async () => {},
    ...change,
  };
}

const never = () => new Promise<never>(() => {});
const states = (infos: readonly AgentInfo[]) =>
  infos.map(({ provider, availability }) => [provider, availability.state]);

describe('AgentRegistry', () => {
  it('lists the availability of its agents', async () => {
    const registry = new AgentRegistry();
    const mock = new MockAgent();
    registry.register(mock);
    expect(states(registry.infos())).toEqual([['mock', 'unavailable']]);
    expect(await registry.refresh()).toEqual([
      {
        ...mock.descriptor,
        supportsMultipleChats: true,
        availability: { state: 'available' },
        models: await mock.listModels(),
      },
    ]);
    expect([registry.get('mock') === mock, registry.get('toString')]).toEqual([true, undefined]);
  });

  it('reports that every agent can have several chats, unless it says that it can not', async () => {
    const registry = new AgentRegistry();
    registry.register(agent('any'));
    const descriptor = { provider: 'lonely', displayName: '', description: '', supportsMultipleChats: false };
    registry.register(agent('lonely', { descriptor }));
    const several = () => registry.infos().map(({ supportsMultipleChats }) => supportsMultipleChats);
    expect(several()).toEqual([true, false]);
    await registry.refresh();
    expect(several()).toEqual([true, false]);
  });

  it.each(['file', 'Mock', '', '__proto__', 'a/b'])('refuses the id %j', (provider) => {
    expect(() => new AgentRegistry().register(agent(provider))).toThrow('not a provider id');
  });

  it('removes an agent, ends it, and never reports it again', async () => {
    const registry = new AgentRegistry();
    const told: unknown[] = [];
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    registry.register(agent('stays'));
    registry.register(
      agent('goes', {
        availability: () => asked.then(() => ({ state: 'available' })),
        dispose: async () => void told.push('ended'),
      }),
    );
    registry.onChange((infos) => told.push(states(infos).map(([provider]) => provider)));
    const refreshing = registry.refresh();
    await registry.remove('goes');
    await registry.remove('goes');
    answer();
    await refreshing;
    expect(told).toEqual([['stays'], 'ended', ['stays']]);
    expect(registry.get('goes')).toBeUndefined();
  });

  it('knows only that an agent is being installed, and afterwards why it failed', async () => {
    const registry = new AgentRegistry();
    const unavailable = { state: 'unavailable', reason: 'not there', howToFix: 'install it' } as const;
    registry.register(agent('a', { availability: async () => unavailable }));
    registry.beginInstalling('a');
    expect(states(await registry.refresh())).toEqual([['a', 'installing']]);
    await registry.endInstalling('a', 'the disk is full');
    expect(registry.infos()[0]?.availability).toEqual({ ...unavailable, reason: 'the disk is full' });
    registry.beginInstalling('a');
    await registry.endInstalling('a');
    expect(registry.infos()[0]?.availability).toEqual(unavailable);
    registry.beginInstalling('nobody');
    await registry.endInstalling('nobody', 'x');
    expect(registry.infos()).toHaveLength(1);
  });

  it('refuses a duplicate id', () => {
    const registry = new AgentRegistry();
    registry.register(agent('a'));
    expect(() => registry.register(agent('a'))).toThrow('registered already');
  });

  it('marks failing and hanging agents as unavailable, with a reason, and asks the others', async () => {
    const registry = new AgentRegistry({ timeoutMs: 20 });
    registry.register(agent('rejects', { availability: () => Promise.reject(new Error('no key')) }));
    registry.register(
      agent('throws', {
        availability: () => {
          throw new Error('not a promise');
        },
      }),
    );
    registry.register(agent('models', { listModels: () => Promise.reject(new Error('no models')) }));
    registry.register(agent('hangs', { availability: never }));
    registry.register(agent('hangs-at-models', { listModels: never }));
    registry.register(agent('works'));
    const infos = await registry.refresh();
    expect(
      infos.map(({ availability }) => (availability.state === 'unavailable' ? availability.reason : 'works')),
    ).toEqual([
      'no key',
      'not a promise',
      'no models',
      'It did not answer within 20 ms.',
      'It did not answer within 20 ms.',
      'works',
    ]);
  });

  it('reports only changes', async () => {
    const registry = new AgentRegistry();
    const heard: (readonly (readonly string[])[])[] = [];
    const listening = registry.onChange((infos) => heard.push(states(infos)));
    let available = true;
    const availability: Agent['availability'] = async () =>
      available ? { state: 'available' } : { state: 'unavailable', reason: 'gone', howToFix: 'bring it back' };
    registry.register(agent('a', { availability }));
    await registry.refresh();
    await registry.refresh();
    available = false;
    await registry.refresh();
    expect(heard).toEqual([[['a', 'unavailable']], [['a', 'available']], [['a', 'unavailable']]]);
    listening.dispose();
    available = true;
    await registry.refresh();
    expect(heard).toHaveLength(3);
  });

  it('keeps the result of the newest refresh when an older one ends later', async () => {
    const registry = new AgentRegistry();
    const pending: ((version: string) => void)[] = [];
    const availability: Agent['availability'] = () =>
      new Promise((resolve) => pending.push((version) => resolve({ state: 'available', version })));
    registry.register(agent('a', { availability }));
    const [first, second] = [registry.refresh(), registry.refresh()];
    pending[1]?.('new');
    await second;
    pending[0]?.('old');
    await first;
    expect(registry.infos()[0]?.availability).toEqual({ state: 'available', version: 'new' });
  });

  it('disposes every agent, also when one fails or hangs', async () => {
    const failed: string[] = [];
    const registry = new AgentRegistry({ timeoutMs: 20, onError: (_, provider) => failed.push(provider) });
    let disposed = 0;
    registry.register(agent('fails', { dispose: () => Promise.reject(new Error('no')) }));
    registry.register(agent('hangs', { dispose: never }));
    registry.register(agent('ends', { dispose: async () => void disposed++ }));
    await Promise.all([registry.dispose(), registry.dispose()]);
    expect([failed.sort(), disposed]).toEqual([['fails', 'hangs'], 1]);
    expect(() => registry.register(agent('late'))).toThrow('disposed');
  });
});

describe('the log-in of an agent', () => {
  type Facts = Awaited<ReturnType<NonNullable<Agent['login']>['facts']>>;

  async function registryWith(facts: Facts): Promise<AgentRegistry> {
    const registry = new AgentRegistry();
    const login = { facts: async () => facts, check: async () => 'unknown' as const, program: async () => undefined };
    registry.register(agent('one', { login }));
    await registry.refresh();
    return registry;
  }
  const stateOf = (registry: AgentRegistry) => registry.infos()[0]?.login?.state;

  it.each([
    [{}, [], 'unknown'],
    [{}, ['ready'], 'ready'],
    [{}, ['needed'], 'needed'],
    [{}, ['ready', 'needed'], 'expired'],
    [{}, ['ready', 'needed', 'ready'], 'ready'],
    [{ state: 'ready' }, [], 'ready'],
    [{ state: 'ready' }, ['needed'], 'expired'],
    [{ state: 'needed' }, [], 'needed'],
    [{ state: 'needed' }, ['ready'], 'needed'],
  ] as const)('%j, after turns %j, is %s', async (facts, learned, state) => {
    const registry = await registryWith(facts);
    for (const one of learned) registry.learnLogin('one', one);
    expect(stateOf(registry)).toBe(state);
    await registry.refresh();
    expect(stateOf(registry)).toBe(state);
  });

  it('is told when it changes, and absent where none is needed', async () => {
    const registry = await registryWith({ source: 'key' });
    let told = 0;
    registry.onChange(() => told++);
    registry.learnLogin('one', 'ready');
    registry.learnLogin('one', 'ready');
    registry.learnLogin('nobody', 'ready');
    expect(told).toBe(1);
    expect(registry.infos()[0]?.login).toEqual({ state: 'ready', source: 'key' });
    const free = await registryWith(undefined);
    free.learnLogin('one', 'needed');
    expect(free.infos()[0]).not.toHaveProperty('login');
  });
});

describe('a newer version of an agent', () => {
  it.each([
    ['1.2.3', '1.2.4', '1.2.4'],
    ['1.9.0', '1.10.0', '1.10.0'],
    ['1.2.3', '1.2.3', undefined],
    ['2.0.0', '1.9.9', undefined],
    ['1.0.0', '2.0.0-beta.1', undefined],
    ['1.0.0', '__proto__', undefined],
  ])('%s installed, %s released: %s', async (version, newest, newer) => {
    const registry = new AgentRegistry();
    registry.register(agent('one', { availability: async () => ({ state: 'available', version }) }));
    await registry.refresh();
    registry.setNewest('one', newest);
    for (const _ of ['at once', 'after a refresh']) {
      expect(registry.newerVersion('one')).toBe(newer);
      expect(registry.infos()[0]?.availability).toEqual({
        state: 'available',
        version,
        ...(newer && { newerVersion: newer }),
      });
      await registry.refresh();
    }
  });
});
