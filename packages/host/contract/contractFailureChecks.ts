import { deepEqual, equal } from 'node:assert/strict';
import type { SessionFs } from '@agenthost/host';
import { type ContractChecks, failsWith, readAllLines } from './contractCheck.js';

export const FAILURE_CHECKS: ContractChecks = {
  ...saysMissing(),
  'reports that a missing file does not exist': async (fs, { at }) => {
    await fs.writeFile(at('file'), '');
    deepEqual(await Promise.all(['none', 'none/a', 'file/a', 'fil'].map((name) => fs.exists(at(name)))), [
      false,
      false,
      false,
      false,
    ]);
  },
  'fails with EISDIR and ENOTDIR for the wrong kind': async (fs, { at }) => {
    await fs.mkdir(at('folder'));
    await fs.writeFile(at('file'), '');
    await failsWith('EISDIR', fs.readFile(at('folder')));
    await failsWith('EISDIR', fs.writeFile(at('folder'), ''));
    await failsWith('EISDIR', fs.appendFile(at('folder'), ''));
    await failsWith('ENOTDIR', fs.readdir(at('file')));
    await failsWith('ENOTDIR', fs.readFile(at('file/a')));
    await failsWith('ENOTDIR', fs.writeFile(at('file/a'), ''));
  },
  'works after a failure': async (fs, { at }) => {
    await failsWith('ENOENT', fs.appendFile(at('folder/a'), 'lost'));
    await fs.mkdir(at('folder'));
    await fs.appendFile(at('folder/a'), 'kept');
    equal(await fs.readFile(at('folder/a')), 'kept');
  },
  'creates nothing when it failed': async (fs, { at }) => {
    await failsWith('ENOENT', fs.writeFile(at('none/a'), 'x'));
    await failsWith('ENOENT', fs.rename(at('none'), at('other')));
    await failsWith('ENOENT', fs.mkdir(at('none/a')));
    for (const name of ['none', 'other']) equal(await fs.exists(at(name)), false);
  },
  'refuses a NUL in a path': async (fs, { at }) => {
    await failsWith('EINVAL', fs.readFile(at('a\0b')));
    await failsWith('EINVAL', fs.appendFile(at('a\0b'), ''));
  },
};

export const ESCAPE_CHECKS: ContractChecks = {
  'refuses every path that leads out': async (fs, { at }) => {
    const inside = fs.sessionStatePath ?? '';
    const outside = [`${inside}/../x`, `${inside}/a/../../x`, `${inside}x`, `${inside}/..`, '/etc/passwd', '/', '../x'];
    await fs.writeFile(at('mine'), '');
    for (const path of outside) {
      const calls = [
        () => fs.readFile(path),
        () => fs.readFileBytes(path),
        () => fs.writeFile(path, ''),
        () => fs.appendFile(path, ''),
        () => fs.exists(path),
        () => fs.stat(path),
        () => fs.mkdir(path, { recursive: true }),
        () => fs.readdir(path),
        () => fs.readdirWithTypes(path),
        () => fs.rm(path, { recursive: true, force: true }),
        () => fs.rename(path, at('a')),
        () => fs.rename(at('mine'), path),
        () => readAllLines(fs, path),
        () => fs.sync?.(path) ?? fs.readFile(path),
      ];
      for (const call of calls) await failsWith('EACCES', call());
    }
    deepEqual(await fs.readdir(at('')), ['mine']);
  },
  'accepts a path that stays inside': async (fs, { at }) => {
    await fs.writeFile(`${at('a')}/../b`, 'x');
    equal(await fs.readFile(at('b')), 'x');
  },
};

type Operation = (fs: SessionFs, at: (name: string) => string) => Promise<unknown>;

/** One case per operation, so that a report names the wrong one. */
function saysMissing(): ContractChecks {
  const nothing: Readonly<Record<string, Operation>> = {
    readFile: (fs, at) => fs.readFile(at('none')),
    readFileBytes: (fs, at) => fs.readFileBytes(at('none')),
    readLines: (fs, at) => readAllLines(fs, at('none')),
    readRange: (fs, at) => fs.readRange?.(at('none'), 0, 1) ?? fs.readFile(at('none')),
    stat: (fs, at) => fs.stat(at('none')),
    readdir: (fs, at) => fs.readdir(at('none')),
    readdirWithTypes: (fs, at) => fs.readdirWithTypes(at('none')),
    rm: (fs, at) => fs.rm(at('none')),
    rename: (fs, at) => fs.rename(at('none'), at('other')),
    sync: (fs, at) => fs.sync?.(at('none')) ?? fs.readFile(at('none')),
  };
  const noFolder: Readonly<Record<string, Operation>> = {
    writeFile: (fs, at) => fs.writeFile(at('none/a'), ''),
    appendFile: (fs, at) => fs.appendFile(at('none/a'), ''),
    mkdir: (fs, at) => fs.mkdir(at('none/a')),
    rename: async (fs, at) => {
      await fs.writeFile(at('file'), '');
      await fs.rename(at('file'), at('none/a'));
    },
  };
  const cases = (operations: typeof nothing, where: string) =>
    Object.entries(operations).map(([name, run]): [string, ContractChecks[string]] => [
      `says ENOENT to ${name} ${where}`,
      (fs, { at }) => failsWith('ENOENT', run(fs, at)),
    ]);
  return Object.fromEntries([
    ...cases(nothing, 'where there is nothing'),
    ...cases(noFolder, 'where the folder is missing'),
  ]);
}
