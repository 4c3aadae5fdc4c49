import { expect, it } from 'vitest';
import { agentsOf } from '../src/translate/state.js';

const AGENT = { displayName: 'One', description: 'An agent.', availability: { state: 'available' } } as const;

it('every agent has a model for its own choice, because VS Code sends nothing without one', () => {
  const small = { id: 'small', provider: 'mock', name: 'Small' };
  const own = { id: 'default', provider: 'claude', name: 'Recommended' };
  const agents = agentsOf([
    { ...AGENT, provider: 'shell', models: [] },
    { ...AGENT, provider: 'mock', models: [small] },
    { ...AGENT, provider: 'claude', models: [small, own] },
  ]);
  expect(agents.map(({ models }) => models)).toEqual([
    [{ id: 'default', provider: 'shell', name: 'Default' }],
    [{ id: 'default', provider: 'mock', name: 'Default' }, small],
    [small, own],
  ]);
});
