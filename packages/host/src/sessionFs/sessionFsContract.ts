import type { ContractSessionFs, CreateContractSessionFs } from './contractCheck.js';
import { FILE_CHECKS, LINE_CHECKS } from './contractFileChecks.js';
import { ESCAPE_CHECKS, FAILURE_CHECKS, FOLDER_CHECKS, NAME_CHECKS } from './contractFolderChecks.js';

export interface SessionFsContractOptions {
  /** Whether paths outside of the session's folders are refused. A backend that has nothing outside needn't. */
  readonly refusesEscapes?: boolean;
}

export interface ContractCase {
  readonly name: string;
  run(): Promise<void>;
}

/** What every SessionFs must do, for any test runner. A backend is correct when every case passes. */
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
  return Object.entries(checks).map(([name, check]) => ({
    name,
    run: async () => {
      const { fs, dispose } = await create({ sessionId: 'contract-session', initialCwd: '/somewhere' });
      try {
        await check(fs, { at: (file) => fs.join(fs.sessionStatePath ?? fs.tmpdir, file), create });
      } finally {
        await fs.dispose();
        await dispose?.();
      }
    },
  }));
}
