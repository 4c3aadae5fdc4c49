import { readFile } from 'node:fs/promises';
import { expect, it, vi } from 'vitest';
import * as layer from '../src/index.js';

it('the first example of the README runs unchanged', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const body = example.replace(/^import (\{[^}]*\}) from '@agenthost\/sessions';$/m, 'const $1 = layer;');
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: string[]
  ) => (...values: unknown[]) => Promise<void>;
  const console = { log: vi.fn() };
  await new AsyncFunction('layer', 'console', body)(layer, console);
  expect(console.log.mock.calls).toEqual([['Shopping'], ['# my-project'], ['Shopping']]);
});
