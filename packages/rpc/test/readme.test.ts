import { readFile } from 'node:fs/promises';
import { expect, it, vi } from 'vitest';
import * as rpc from '../src/index.js';

it('the first example of the README runs unchanged', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const body = example.replace(/^import (\{.*\}) from '@agenthost\/rpc';$/m, 'const $1 = rpc;');
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: string[]
  ) => (...values: unknown[]) => Promise<void>;
  const console = { log: vi.fn(), error: vi.fn() };
  await new AsyncFunction('rpc', 'console', body)(rpc, console);
  expect([console.log.mock.calls, console.error.mock.calls]).toEqual([[[2]], []]);
});
