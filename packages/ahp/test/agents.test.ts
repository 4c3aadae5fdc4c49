import { expect, it } from 'vitest';
import { agentsOf } from '../src/state.js';

const AGENT = { displayName: 'One', description: 'An agent.', availability: { state: 'available' } } as const;

it('every agent has a model, since VS Code sends nothing to one without', () => {
  const agents = agentsOf([
    { ...AGENT, provider: 'shell', models: [] },
    { ...AGENT, provider: 'mock', models: [{ id: 'small', provider: 'mock', name: 'Small' }] },
  ]);
  expect(agents.map(({ models }) => models)).toEqual([
    [{ id: 'default', provider: 'shell', name: 'Default' }],
    [{ id: 'small', provider: 'mock', name: 'Small' }],
  ]);
});
