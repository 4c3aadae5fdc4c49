import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { GATES } from './gates.js';

const ROOT = join(import.meta.dirname, '../..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');
const CONFIG = 'test/security/brokenGate.config.ts';

describe('every check of the list', () => {
  it('occurs exactly once where gates.ts says', async () => {
    const lost: unknown[] = [];
    for (const { module, what, from } of GATES) {
      const times = (await readFile(join(ROOT, module), 'utf8')).split(from).length - 1;
      if (times !== 1) lost.push([what, module, times]);
    }
    expect(lost).toEqual([]);
  });

  // A run of vitest each: `npm run test:security` has the time.
  it.runIf(process.env['AGENTHOST_FAULTS'] === 'all').each(GATES.map((gate, number) => ({ ...gate, number })))(
    'point $point: $what: a test notices',
    // Most of them wait for something that doesn't come.
    { timeout: 300_000, concurrent: true },
    async ({ number, test, named }) => {
      const env = { ...process.env, AGENTHOST_BROKEN_GATE: String(number), AGENTHOST_FAULTS: '' };
      const only = named === '' ? [] : ['-t', named];
      const child = spawn(process.execPath, [VITEST, 'run', '--config', CONFIG, test, ...only], {
        cwd: ROOT,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
      const ran = output.split('\n').filter((line) => /^(?:not )?ok /.test(line) && !line.includes('# SKIP'));
      expect(ran.length, `${output}\n${errors}`).toBeGreaterThan(0);
      expect(ran.filter((line) => line.startsWith('not ok '))).not.toEqual([]);
    },
  );
});
