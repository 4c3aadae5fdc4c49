import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ContractCase, sessionFsContract } from '../../contract/sessionFsContract.js';
import { LocalSessionFs } from '../../src/storage/fs/localSessionFs.js';
import { MemorySessionFs } from '../../src/storage/fs/memorySessionFs.js';

const local = sessionFsContract(
  async (options) => {
    const stateRoot = await mkdtemp(join(tmpdir(), 'agenthost-contract-'));
    const fs = await LocalSessionFs.open({ stateRoot, ...options });
    return { fs, dispose: () => rm(stateRoot, { recursive: true, force: true }) };
  },
  { refusesEscapes: true },
);
const memory = (conventions: 'posix' | 'windows') =>
  sessionFsContract(async (options) => ({ fs: new MemorySessionFs({ conventions, ...options }) }));

describe('the contract of a SessionFs', () => {
  it('has enough cases', () => expect(local.length).toBeGreaterThanOrEqual(80));
  describe('on the local disk', () => runAll(local));
  describe('in memory', () => runAll(memory('posix')));
  describe('in memory, as on Windows', () => runAll(memory('windows')));
});

function runAll(cases: readonly ContractCase[]): void {
  it.each(cases)('$name', ({ run }) => run());
}
