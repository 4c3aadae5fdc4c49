import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { cleanupsOfTests } from '../../support/cleanups.js';
import { startTestHost } from '../../support/testHost.js';
import { ask, eventually } from './support.js';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/api.md'), 'utf8');
const cleanups = cleanupsOfTests();

it('the commands of docs/api.md do what the page says', async () => {
  const host = await startTestHost();
  cleanups.push(() => host.dispose());
  const [, ...blocks] = [...PAGE.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  const script = ['set -euo pipefail', `HOST=${host.url.origin}`, `TOKEN=${host.token}`, ...blocks].join('\n');
  const options = { cwd: await cleanups.folder(), timeout: 20_000 };
  const { stdout } = await promisify(execFile)('bash', ['-c', script], options);
  expect(stdout).toContain('"provider":"mock"');
  expect(stdout).toContain('event: session/turnComplete');
  expect(stdout).toContain('Hello, world!');
  const [session] = (await ask(host, 'GET', '/api/v1/sessions')).json.items as { resource: string }[];
  const at = `/api/v1/sessions/${encodeURIComponent(session?.resource ?? '')}/turns`;
  const { turns } = await eventually(
    async () => (await ask(host, 'GET', at)).json,
    ({ turns }) => turns.length > 1,
  );
  expect(turns.filter(({ userMessage }: { userMessage: { text: string } }) => userMessage.text === 'once').length).toBe(
    1,
  );
});
