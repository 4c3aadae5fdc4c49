import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../architecture/workspace.js';

const run = promisify(execFile);

/** What the compiler says of these programs, by their names; empty when they compile. */
export async function compile(name: string, programs: ReadonlyMap<string, string>): Promise<string> {
  // In the repository, so that the packages are found from there.
  const folder = join(ROOT, '.cache', name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [file, code] of programs) await writeFile(join(folder, `${file}.ts`), `${code}\nexport {};\n`);
  const compilerOptions = {
    composite: false,
    noEmit: true,
    noUnusedLocals: false,
    verbatimModuleSyntax: false,
    types: ['node'],
    lib: ['ES2024', 'DOM'],
  };
  const config = { extends: '../../tsconfig.base.json', compilerOptions, include: ['*.ts'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  return run(process.execPath, [tsc, '-p', folder]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}
