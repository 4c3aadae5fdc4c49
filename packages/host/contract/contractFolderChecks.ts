import { deepEqual, equal, ok } from 'node:assert/strict';
import { type ContractChecks, failsWith } from './contractCheck.js';

export const FOLDER_CHECKS: ContractChecks = {
  'distinguishes files, folders and missing entries': async (fs, { at }) => {
    await fs.mkdir(at('folder'));
    await fs.writeFile(at('file'), '12345');
    const [folder, file] = [await fs.stat(at('folder')), await fs.stat(at('file'))];
    deepEqual([folder.isDirectory, folder.isFile], [true, false]);
    deepEqual([file.isDirectory, file.isFile, file.size], [false, true, 5]);
    deepEqual(await Promise.all(['folder', 'file', 'none', 'file/x'].map((name) => fs.exists(at(name)))), [
      true,
      true,
      false,
      false,
    ]);
  },
  'reports when a file was created and changed': async (fs, { at }) => {
    const before = Date.now();
    await fs.writeFile(at('a'), 'x');
    const made = await fs.stat(at('a'));
    await fs.appendFile(at('a'), 'y');
    const changed = await fs.stat(at('a'));
    // A file system's clock may be coarse.
    for (const time of [made.mtime, made.birthtime, changed.mtime]) ok(Math.abs(time - before) < 60_000, `${time}`);
    ok(changed.mtime >= made.mtime);
    equal(changed.birthtime, made.birthtime);
  },
  'creates a folder once': async (fs, { at }) => {
    await fs.mkdir(at('a'));
    await failsWith('EEXIST', fs.mkdir(at('a')));
    await fs.mkdir(at('a'), { recursive: true });
  },
  'creates a folder only in an existing one, unless recursive': async (fs, { at }) => {
    await failsWith('ENOENT', fs.mkdir(at('a/b/c')));
    await fs.mkdir(at('a/b/c'), { recursive: true });
    deepEqual(await fs.readdirWithTypes(at('a/b')), [{ name: 'c', type: 'directory' }]);
  },
  'creates no folder in place of a file': async (fs, { at }) => {
    await fs.writeFile(at('a'), '');
    await failsWith('EEXIST', fs.mkdir(at('a')));
    await failsWith('EEXIST', fs.mkdir(at('a'), { recursive: true }));
    await failsWith('ENOTDIR', fs.mkdir(at('a/b')));
  },
  'lists exactly the entries of a folder': async (fs, { at }) => {
    await fs.mkdir(at('a/inner'), { recursive: true });
    await fs.writeFile(at('a/file'), '');
    await fs.writeFile(at('a/inner/deep'), '');
    await fs.writeFile(at('ab'), '');
    const entries = (await fs.readdirWithTypes(at('a'))).sort((x, y) => (x.name < y.name ? -1 : 1));
    deepEqual(entries, [
      { name: 'file', type: 'file' },
      { name: 'inner', type: 'directory' },
    ]);
    deepEqual((await fs.readdir(at('a'))).sort(), ['file', 'inner']);
    deepEqual(await fs.readdir(at('a/inner')), ['deep']);
  },
  'removes a file': async (fs, { at }) => {
    await fs.writeFile(at('a'), '');
    await fs.rm(at('a'));
    equal(await fs.exists(at('a')), false);
  },
  'removes a folder only with recursive, including its content': async (fs, { at }) => {
    await fs.mkdir(at('a/b'), { recursive: true });
    await fs.writeFile(at('a/b/c'), '');
    await fs.writeFile(at('ab'), 'stays');
    await failsWith('EISDIR', fs.rm(at('a')));
    await fs.rm(at('a'), { recursive: true });
    equal(await fs.exists(at('a')), false);
    equal(await fs.readFile(at('ab')), 'stays');
  },
  'ignores a missing entry only with force': async (fs, { at }) => {
    await failsWith('ENOENT', fs.rm(at('a')));
    await failsWith('ENOENT', fs.rm(at('a'), { recursive: true }));
    await fs.rm(at('a'), { force: true });
    await fs.rm(at('a'), { force: true, recursive: true });
  },
  'renames over an existing file': async (fs, { at }) => {
    await fs.writeFile(at('a'), 'new');
    await fs.writeFile(at('b'), 'old and longer');
    await fs.rename(at('a'), at('b'));
    equal(await fs.readFile(at('b')), 'new');
    equal(await fs.exists(at('a')), false);
  },
  'renames a folder with its content': async (fs, { at }) => {
    await fs.mkdir(at('a/b'), { recursive: true });
    await fs.writeFile(at('a/b/c'), 'x');
    await fs.rename(at('a'), at('z'));
    equal(await fs.readFile(at('z/b/c')), 'x');
    equal(await fs.exists(at('a')), false);
  },
  'leaves an existing folder unchanged': async (fs, { at }) => {
    await fs.mkdir(at('a/b'), { recursive: true });
    await fs.writeFile(at('a/b/c'), 'kept');
    await fs.mkdir(at('a/b'), { recursive: true });
    await fs.mkdir(at('a/b/d/e'), { recursive: true });
    equal(await fs.readFile(at('a/b/c')), 'kept');
  },
  'lists an empty folder as empty': async (fs, { at }) => {
    await fs.mkdir(at('a'));
    deepEqual([await fs.readdir(at('a')), await fs.readdirWithTypes(at('a'))], [[], []]);
  },
  'no longer lists removed and renamed entries': async (fs, { at }) => {
    await fs.mkdir(at('a'));
    for (const name of ['one', 'two', 'three']) await fs.writeFile(at(`a/${name}`), name);
    await fs.rm(at('a/one'));
    await fs.rename(at('a/two'), at('a/four'));
    deepEqual((await fs.readdir(at('a'))).sort(), ['four', 'three']);
  },
  'lists a folder of many files': async (fs, { at }) => {
    await fs.mkdir(at('a'));
    const names = Array.from({ length: 300 }, (_, index) => `f${String(index).padStart(3, '0')}`);
    await Promise.all(names.map((name) => fs.writeFile(at(`a/${name}`), '')));
    deepEqual((await fs.readdir(at('a'))).sort(), names);
    await fs.rm(at('a'), { recursive: true });
    equal(await fs.exists(at('a')), false);
  },
  'removes an empty folder only with recursive': async (fs, { at }) => {
    await fs.mkdir(at('a'));
    await failsWith('EISDIR', fs.rm(at('a')));
    await failsWith('EISDIR', fs.rm(at('a'), { force: true }));
    await fs.rm(at('a'), { recursive: true });
    equal(await fs.exists(at('a')), false);
  },
  'removes a file also with recursive': async (fs, { at }) => {
    await fs.writeFile(at('a'), '');
    await fs.writeFile(at('b'), '');
    await fs.rm(at('a'), { recursive: true });
    await fs.rm(at('b'), { recursive: true, force: true });
    deepEqual(await Promise.all([fs.exists(at('a')), fs.exists(at('b'))]), [false, false]);
  },
  'reuses the name of a removed entry': async (fs, { at }) => {
    await fs.writeFile(at('a'), 'a file');
    await fs.rm(at('a'));
    await fs.mkdir(at('a'));
    await fs.writeFile(at('a/b'), 'in a folder');
    await fs.rm(at('a'), { recursive: true });
    await fs.writeFile(at('a'), 'a file again');
    equal(await fs.readFile(at('a')), 'a file again');
  },
  'renames into another folder': async (fs, { at }) => {
    await fs.mkdir(at('a'));
    await fs.mkdir(at('b'));
    await fs.writeFile(at('a/x'), 'moved');
    await fs.rename(at('a/x'), at('b/y'));
    deepEqual([await fs.readdir(at('a')), await fs.readdir(at('b'))], [[], ['y']]);
    equal(await fs.readFile(at('b/y')), 'moved');
  },
  'accepts a rename to the same name': async (fs, { at }) => {
    await fs.writeFile(at('a'), 'same');
    await fs.rename(at('a'), at('a'));
    equal(await fs.readFile(at('a')), 'same');
  },
  'replaces neither a file by a folder nor a folder by a file': async (fs, { at }) => {
    await fs.mkdir(at('folder'));
    await fs.writeFile(at('folder/inner'), 'inner');
    await fs.writeFile(at('file'), 'file');
    await failsWith('EISDIR', fs.rename(at('file'), at('folder')));
    await failsWith('ENOTDIR', fs.rename(at('folder'), at('file')));
    equal((await fs.readFile(at('file'))) + (await fs.readFile(at('folder/inner'))), 'fileinner');
  },
  'does not replace a non-empty folder': async (fs, { at }) => {
    for (const name of ['a', 'b']) {
      await fs.mkdir(at(name));
      await fs.writeFile(at(`${name}/${name}`), name);
    }
    await failsWith('ENOTEMPTY', fs.rename(at('a'), at('b')));
    equal((await fs.readFile(at('a/a'))) + (await fs.readFile(at('b/b'))), 'ab');
  },
  'does not move a folder into itself': async (fs, { at }) => {
    await fs.mkdir(at('a'));
    await fs.writeFile(at('a/x'), 'x');
    await failsWith('EINVAL', fs.rename(at('a'), at('a/b')));
    equal(await fs.readFile(at('a/x')), 'x');
  },
};
