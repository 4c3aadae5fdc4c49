import { readFile } from 'node:fs/promises';
import { expect, it, vi } from 'vitest';
import * as client from '../src/index.js';
import { FakeHost } from './support/fakeHost.js';

it('the first example of the README runs unchanged', async () => {
  const fake = new FakeHost();
  fake.lifecycle = 'ready';
  fake.changeAgents([
    { provider: 'shell', displayName: 'Shell', description: '', models: [], availability: { state: 'available' } },
  ]);
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const body = example.replace(/^import (\{.*\}) from '@agenthost\/client';$/m, 'const $1 = client;');
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: string[]
  ) => (...values: unknown[]) => Promise<void>;
  const console = { log: vi.fn() };
  const render = vi.fn();
  const inMemory = { ...client, connect: () => client.connect({ transport: fake.transport }) };
  const parameters = ['client', 'console', 'render', 'url', 'token', 'workingDirectory'];
  await new AsyncFunction(...parameters, body)(inMemory, console, render, 'http://host', 'secret', 'file:///w');
  expect(console.log.mock.calls).toEqual([[['Shell']]]);
  expect(render).toHaveBeenCalledTimes(2);
  expect([...fake.sessions.values()].map(({ state }) => state.activeTurn?.userMessage.text)).toEqual(['npm test']);
});
