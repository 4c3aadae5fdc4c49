import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cp, mkdir, readdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { ROOT } from '../architecture/workspace.js';
import { temporaryFolder } from './testHost.js';

const COPIED = [
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'tsconfig.json',
  'scripts',
  'packages',
  'apps',
];

/** This repository as it is built, in a folder where its sources may be changed. What is installed is shared. */
export async function copyRepository(): Promise<string> {
  const folder = await realpath(await temporaryFolder());
  for (const name of COPIED) {
    await cp(join(ROOT, name), join(folder, name), {
      recursive: true,
      preserveTimestamps: true,
      filter: (path) => !['node_modules', 'test'].includes(basename(path)) && !path.endsWith(`${sep}.vite`),
    });
  }
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@agenthost'), { recursive: true });
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    // Links to the packages must lead to the copies, and what tools keep there must not be shared.
    if (name.startsWith('.') || name === '@agenthost') continue;
    await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  }
  for (const name of await readdir(join(folder, 'packages'))) {
    await symlink(join(folder, 'packages', name), join(modules, '@agenthost', name));
  }
  await mkdir(join(modules, '.bin'));
  await symlink(join(folder, 'apps/cli/bin/agenthost.cjs'), join(modules, '.bin/agenthost'));
  await symlink(process.execPath, join(modules, '.bin/node'));
  // What was copied is built; see scripts/run.mjs.
  await mkdir(join(folder, '.cache'));
  await writeFile(join(folder, '.cache/program-built'), '');
  const lock = readFileSync(join(ROOT, 'package-lock.json'));
  await writeFile(join(modules, '.agenthost-installed'), createHash('sha256').update(lock).digest('hex'));
  return folder;
}
