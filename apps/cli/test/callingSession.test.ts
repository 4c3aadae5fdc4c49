import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { callingSession } from '../src/mcp/callingSession.js';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill();
});

/** A program that starts another one without any variable; answers the id of that one. */
async function below(env: Record<string, string>): Promise<number> {
  const lower = `process.stdout.write(String(process.pid)); process.stdin.on('data', () => {});`;
  const upper = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(lower)}], { env: {}, stdio: 'inherit' })`;
  const child = spawn(process.execPath, ['-e', upper], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const [pid] = (await once(child.stdout, 'data')) as [Buffer];
  return Number(pid);
}

it('is what the environment says', () => {
  expect(callingSession({ AGENTHOST_SESSION: 'mock:/a' }, 1)).toBe('mock:/a');
  expect(callingSession({}, 1)).toBeUndefined();
});

it.runIf(process.platform === 'linux')('is found in the programs above, and in none that is not there', async () => {
  expect(callingSession({}, await below({ AGENTHOST_SESSION: 'mock:/above' }))).toBe('mock:/above');
  expect(callingSession({}, 2 ** 30)).toBeUndefined();
});
