import type { SessionFs } from '@agenthost/host';
import type { ContractCheck, ContractSessionFs, CreateContractSessionFs } from './contractCheck.js';
import { ESCAPE_CHECKS, FAILURE_CHECKS } from './contractFailureChecks.js';
import { FILE_CHECKS } from './contractFileChecks.js';
import { FOLDER_CHECKS } from './contractFolderChecks.js';
import { LINE_CHECKS } from './contractLineChecks.js';
import { NAME_CHECKS } from './contractNameChecks.js';

export interface SessionFsContractOptions {
  /** Whether paths outside of the session folders are refused. A backend without anything outside needn't. */
  readonly refusesEscapes?: boolean;
}

export interface ContractCase {
  readonly name: string;
  run(): Promise<void>;
}

/**
 * The contract of `SessionFs` as cases for any test framework. `create` makes an empty file system for a session, fresh for each
 * case. A backend is correct when every case passes.
 *
 * @example
 * ```ts
 * declare const create: (options: CreateContractSessionFs) => Promise<ContractSessionFs>;
 *
 * for (const { name, run } of sessionFsContract(create)) it(name, run);
 * ```
 */
export function sessionFsContract(
  create: (options: CreateContractSessionFs) => Promise<ContractSessionFs>,
  options: SessionFsContractOptions = {},
): ContractCase[] {
  const checks = {
    ...NAME_CHECKS,
    ...FILE_CHECKS,
    ...LINE_CHECKS,
    ...FOLDER_CHECKS,
    ...FAILURE_CHECKS,
    ...(options.refusesEscapes && ESCAPE_CHECKS),
  };
  const using = async (sessionId: string, work: (fs: SessionFs, at: (name: string) => string) => Promise<void>) => {
    const { fs, dispose } = await create({ sessionId, initialCwd: '/somewhere' });
    try {
      await work(fs, (name) => fs.join(fs.sessionStatePath ?? fs.tmpdir, name));
    } finally {
      await fs.dispose();
      await dispose?.();
    }
  };
  const run = (check: ContractCheck) =>
    using('contract-session', (fs, at) => check(fs, { at, withOther: (work) => using('another-session', work) }));
  return Object.entries(checks).map(([name, check]) => ({ name, run: () => run(check) }));
}
