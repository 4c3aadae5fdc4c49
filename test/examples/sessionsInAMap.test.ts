import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { mapSessionFs } from '../../examples/mapSessionFs.js';
import { ROOT } from '../architecture/workspace.js';
import { providedContract } from '../support/providedSessionFs.js';

const run = promisify(execFile);

describe('the example of sessions in a Map', () => {
  it('runs: a second host goes on with what the first one left in the Map', async () => {
    const { stdout } = await run(process.execPath, [join(ROOT, 'examples/sessionsInAMap.ts')], { cwd: ROOT });
    expect(stdout).toMatch(/^kept in a Map: mock:\/\S+ \(\d files\)\n$/);
  });

  describe('keeps the contract of a SessionFs', () => {
    for (const { name, run: check } of providedContract(() => mapSessionFs(new Map()))) it(name, check);
  });
});
