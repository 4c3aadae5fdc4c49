import { join } from 'node:path';
import { stubEntry } from './stubEntry.ts';

const PROGRAM = join(import.meta.dirname, 'loginProgram.ts');

/** The file that stands for a log-in of the stub. */
export function loginFile(stateDir: string): string {
  return join(stateDir, 'stub-login');
}

/** The stub, which needs a log-in, as an entry of agents.json. The mode is that of its log-in program. */
export function loginEntry(stateDir: string, mode = 'code', changes: object = {}): object {
  const file = loginFile(stateDir);
  const program = (one: string) => [process.execPath, PROGRAM, one, file];
  return stubEntry(
    stateDir,
    { STUB_LOGIN: file },
    {
      loginProgram: program(mode),
      logoutProgram: program('logout'),
      statusProgram: program('status'),
      key: { variable: 'STUB_KEY' },
      ...changes,
    },
  );
}
