import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as client from '@agenthost/client';
import { expect, it } from 'vitest';
import { ROOT } from '../../architecture/workspace.js';
import { startTestHost } from '../../support/testHost.js';

it("the README's program runs unchanged", async () => {
  const test = await startTestHost();
  try {
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
    const program = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const body = program
      .replace(/^import (\{.*\}) from '@agenthost\/client';$/m, 'const $1 = client;')
      .replace("'http://127.0.0.1:4747'", 'url');
    expect(body).toContain('url: url');
    const printed = new Promise((resolve) => {
      const log = (text: string | undefined) => text !== undefined && resolve(text.trim());
      const AsyncFunction = (async () => {}).constructor as new (
        ...args: string[]
      ) => (...values: unknown[]) => Promise<void>;
      const run = new AsyncFunction('client', 'url', 'token', 'console', `${body}\nawait new Promise(() => host);`);
      run(client, test.url, test.token, { log }).catch(resolve);
    });
    expect(await printed).toBe('hello');
  } finally {
    await test.dispose();
  }
});
