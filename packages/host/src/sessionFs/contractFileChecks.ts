import { deepEqual, equal, ok } from 'node:assert/strict';
import { type ContractChecks, failsWith, readAllLines } from './contractCheck.js';
import { KeyedLock } from './keyedLock.js';
import { MAX_LINE_BYTES } from './splitLines.js';

export const FILE_CHECKS: ContractChecks = {
  'reads what was written': async (fs, { at }) => {
    await fs.writeFile(at('a.txt'), 'ein Text: äöü, 漢字, 🦊\r\n');
    equal(await fs.readFile(at('a.txt')), 'ein Text: äöü, 漢字, 🦊\r\n');
  },
  'replaces what was there, also by something shorter': async (fs, { at }) => {
    await fs.writeFile(at('a'), 'a long first content');
    await fs.writeFile(at('a'), 'short');
    equal(await fs.readFile(at('a')), 'short');
    equal((await fs.stat(at('a'))).size, 5);
  },
  'keeps an empty file': async (fs, { at }) => {
    await fs.writeFile(at('a'), '');
    equal(await fs.readFile(at('a')), '');
    deepEqual(await readAllLines(fs, at('a')), []);
    equal((await fs.stat(at('a'))).size, 0);
  },
  'keeps bytes that are no text': async (fs, { at }) => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    await fs.writeFile(at('a'), bytes);
    await fs.appendFile(at('a'), Uint8Array.of(0xff, 0x00, 0xc3));
    deepEqual([...(await fs.readFileBytes(at('a')))], [...bytes, 0xff, 0x00, 0xc3]);
  },
  'keeps a byte order mark': async (fs, { at }) => {
    await fs.writeFile(at('a'), '\uFEFFx');
    equal(await fs.readFile(at('a')), '\uFEFFx');
  },
  'hands out bytes that later writes do not change': async (fs, { at }) => {
    await fs.writeFile(at('a'), 'before');
    const bytes = await fs.readFileBytes(at('a'));
    await fs.writeFile(at('a'), 'after!');
    equal(Buffer.from(bytes).toString(), 'before');
  },
  'appends, and creates the file for it': async (fs, { at }) => {
    await fs.appendFile(at('a'), 'one ');
    await fs.appendFile(at('a'), Buffer.from('two'));
    equal(await fs.readFile(at('a')), 'one two');
  },
  'appends in order': async (fs, { at }) => {
    const expected: string[] = [];
    for (let index = 0; index < 200; index++) {
      await fs.appendFile(at('a'), `${index}\n`);
      expected.push(String(index));
    }
    deepEqual(await readAllLines(fs, at('a')), expected);
  },
  'keeps appends whole and in order under one lock': async (fs, { at }) => {
    const lock = new KeyedLock();
    const expected = Array.from({ length: 100 }, (_, index) => `${index}:${'x'.repeat(index * 37)}`);
    const key = fs.lockKey(at('a'));
    await Promise.all(expected.map((line) => lock.run(key, () => fs.appendFile(at('a'), `${line}\n`))));
    ok((await fs.readFile(at('a'))) === `${expected.join('\n')}\n`, 'other lines');
    equal((await readAllLines(fs, at('a'))).length, expected.length);
  },
  'appends to many files in turn': async (fs, { at }) => {
    for (let round = 0; round < 3; round++) {
      for (let file = 0; file < 12; file++) await fs.appendFile(at(`f${file}`), `${round}`);
    }
    for (let file = 0; file < 12; file++) equal(await fs.readFile(at(`f${file}`)), '012');
  },
  'appends to what was written meanwhile': async (fs, { at }) => {
    await fs.appendFile(at('a'), 'old');
    await fs.writeFile(at('a'), 'new');
    await fs.appendFile(at('a'), '+');
    equal(await fs.readFile(at('a')), 'new+');
  },
  'appends to the file that has the name now': async (fs, { at }) => {
    await fs.appendFile(at('a'), 'first');
    await fs.rename(at('a'), at('b'));
    await fs.appendFile(at('a'), 'second');
    await fs.rm(at('a'));
    await fs.appendFile(at('a'), 'third');
    await fs.writeFile(at('c'), 'fourth');
    await fs.rename(at('c'), at('a'));
    await fs.appendFile(at('a'), '+');
    equal(await fs.readFile(at('b')), 'first');
    equal(await fs.readFile(at('a')), 'fourth+');
  },
  'keeps a large file': async (fs, { at }) => {
    const half = Buffer.alloc(4 * 1024 * 1024, 'abcdefgh\n');
    await fs.writeFile(at('a'), half);
    await fs.appendFile(at('a'), half);
    equal((await fs.stat(at('a'))).size, 8 * 1024 * 1024);
    ok(Buffer.concat([half, half]).equals(await fs.readFileBytes(at('a'))));
  },
  'keeps names of any script': async (fs, { at }) => {
    const names = ['äöü.txt', '漢字', '🦊 with spaces', "it's", 'a.b..c', '-rf'];
    await fs.mkdir(at('names'));
    for (const name of names) await fs.writeFile(at(`names/${name}`), name);
    for (const name of names) equal(await fs.readFile(at(`names/${name}`)), name);
    deepEqual((await fs.readdir(at('names'))).sort(), names.sort());
  },
  'can be told to force a file to disk': async (fs, { at }) => {
    await fs.appendFile(at('a'), 'x');
    await fs.sync?.(at('a'));
    await fs.writeFile(at('b'), 'y');
    await fs.sync?.(at('b'));
    equal((await fs.readFile(at('a'))) + (await fs.readFile(at('b'))), 'xy');
  },
};

export const LINE_CHECKS: ContractChecks = {
  'reads lines, which end at \\n alone': async (fs, { at }) => {
    await fs.writeFile(at('a'), 'one\r\ntwo\n\nü\u2028\rx\n');
    deepEqual(await readAllLines(fs, at('a')), ['one\r', 'two', '', 'ü\u2028\rx']);
  },
  'reads a last line without an end': async (fs, { at }) => {
    await fs.writeFile(at('a'), 'one\ntwo');
    deepEqual(await readAllLines(fs, at('a')), ['one', 'two']);
  },
  'reads lines from a byte on': async (fs, { at }) => {
    await fs.writeFile(at('a'), 'äö\ntwo\nthree\n');
    deepEqual(await readAllLines(fs, at('a'), 5), ['two', 'three']);
    deepEqual(await readAllLines(fs, at('a'), 6), ['wo', 'three']);
    deepEqual(await readAllLines(fs, at('a'), 15), []);
    deepEqual(await readAllLines(fs, at('a'), 1_000), []);
  },
  'reads long lines, cut anywhere by its buffers': async (fs, { at }) => {
    const expected = [60_000, 65_535, 65_536, 65_537, 3, 300_000].map((length) => '€a'.repeat(length / 2));
    await fs.writeFile(at('a'), `${expected.join('\n')}\n`);
    const found = await readAllLines(fs, at('a'));
    ok(found.length === expected.length && found.every((line, index) => line === expected[index]), 'other lines');
  },
  'refuses a line without a bound': async (fs, { at }) => {
    await fs.writeFile(at('a'), Buffer.concat([Buffer.from('first\n'), Buffer.alloc(MAX_LINE_BYTES + 1, 'x')]));
    await failsWith('EFBIG', readAllLines(fs, at('a')));
  },
  'can be left in the middle of a file': async (fs, { at }) => {
    await fs.writeFile(at('a'), 'x\n'.repeat(100_000));
    for await (const line of fs.readLines(at('a'))) {
      equal(line, 'x');
      break;
    }
    await fs.rm(at('a'));
  },
};
