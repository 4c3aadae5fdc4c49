import { deepEqual, equal, ok } from 'node:assert/strict';
import type { ContractChecks } from './contractCheck.js';

/** Paths and valid file names. */
export const NAME_CHECKS: ContractChecks = {
  'joins by its own conventions': async (fs) => {
    const windows = fs.conventions === 'windows';
    equal(fs.join('a', 'b', 'c.txt'), windows ? 'a\\b\\c.txt' : 'a/b/c.txt');
    equal(fs.join('a', '..', 'b'), 'b');
    equal(fs.join('a', '', 'b'), windows ? 'a\\b' : 'a/b');
    equal(windows ? fs.join('C:\\x', 'y/z') : fs.join('/x/', '/y'), windows ? 'C:\\x\\y\\z' : '/x/y');
  },
  'joins paths with double separators, dots or the other convention': async (fs) => {
    const joined =
      fs.conventions === 'windows'
        ? [fs.join('C:\\', 'a'), fs.join('a\\\\b', '.', 'c'), fs.join('\\\\server\\share', 'a'), fs.join('a/b\\c')]
        : [fs.join('/', 'a'), fs.join('a//b', '.', 'c'), fs.join('/a', '../b'), fs.join('a\\b', 'c')];
    deepEqual(
      joined,
      fs.conventions === 'windows'
        ? ['C:\\a', 'a\\b\\c', '\\\\server\\share\\a', 'a\\b\\c']
        : ['/a', 'a/b/c', '/b', 'a\\b/c'],
    );
  },
  'joins a name to its folder': async (fs) => {
    const folder = fs.sessionStatePath ?? fs.tmpdir;
    const separator = fs.conventions === 'windows' ? '\\' : '/';
    equal(fs.join(folder, 'events.jsonl'), `${folder}${separator}events.jsonl`);
  },
  'has a folder for the session and one for temporary files, and both exist': async (fs) => {
    ok(fs.sessionStatePath !== undefined);
    ok(fs.sessionStatePath !== fs.tmpdir, 'they are one folder');
    for (const folder of [fs.sessionStatePath, fs.tmpdir]) equal((await fs.stat(folder)).isDirectory, true);
  },
  'writes to the temporary folder': async (fs) => {
    const path = fs.join(fs.tmpdir, 'spill.txt');
    await fs.writeFile(path, 'x');
    equal(await fs.readFile(path), 'x');
    await fs.rm(path);
  },
  'starts in the given folder': async (fs) => equal(fs.initialCwd(), '/somewhere'),
  'has one lock per file': async (fs, { at }) => {
    equal(fs.lockKey(at('a')), fs.lockKey(at('a')));
    ok(fs.lockKey(at('a')) !== fs.lockKey(at('b')));
  },
  'has another lock for the same name in another session': async (fs, { at, withOther }) =>
    withOther(async (other, there) => ok(fs.lockKey(at('a')) !== other.lockKey(there('a')))),
  'keeps sessions apart': async (fs, { at, withOther }) => {
    await fs.writeFile(at('a'), 'mine');
    await withOther(async (other, there) => {
      equal(await other.exists(there('a')), false);
      await other.writeFile(there('a'), 'theirs');
      await other.rm(there('a'));
    });
    equal(await fs.readFile(at('a')), 'mine');
  },
  'keeps names of any script': async (fs, { at }) => {
    await keepsNames(fs, at('names'), ['äöü.txt', '漢字', '🦊 with spaces', "it's", 'a.b..c', 'ﬁ', 'עברית', '👩‍👩‍👧']);
  },
  'keeps the Unicode normalisation of a name': async (fs, { at }) => {
    // Each in a separate folder: some file systems treat the two as one name.
    await keepsNames(fs, at('composed'), ['\u00e9.txt']);
    await keepsNames(fs, at('decomposed'), ['e\u0301.txt']);
  },
  'distinguishes names that differ in dots and spaces': async (fs, { at }) => {
    await keepsNames(fs, at('names'), ['a', '.a', '..a', 'a..b', 'a.b', 'a b', 'a  b', ' a']);
  },
  'accepts names that look like options, code or escapes': async (fs, { at }) => {
    await keepsNames(fs, at('names'), ['-rf', '--help', '~', '$HOME', '#x', 'a&b;c', '%2e%2e', 'a%20b', '!', '{a,b}']);
  },
  'accepts names of JavaScript object properties': async (fs, { at }) => {
    await keepsNames(fs, at('names'), ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '0', 'undefined']);
  },
  'accepts a long name': async (fs, { at }) => {
    await keepsNames(fs, at('names'), ['n'.repeat(200)]);
  },
  'accepts deep nesting': async (fs, { at }) => {
    const folder = fs.join(at('deep'), ...Array.from({ length: 40 }, (_, index) => `d${index}`));
    await fs.mkdir(folder, { recursive: true });
    await fs.writeFile(fs.join(folder, 'leaf'), 'down here');
    equal(await fs.readFile(fs.join(folder, 'leaf')), 'down here');
    await fs.rm(at('deep'), { recursive: true });
    equal(await fs.exists(folder), false);
  },
};

async function keepsNames(
  fs: Parameters<ContractChecks[string]>[0],
  folder: string,
  names: readonly string[],
): Promise<void> {
  await fs.mkdir(folder);
  for (const name of names) await fs.writeFile(fs.join(folder, name), `of ${name}`);
  for (const name of names) equal(await fs.readFile(fs.join(folder, name)), `of ${name}`);
  deepEqual((await fs.readdir(folder)).sort(), [...names].sort());
}
