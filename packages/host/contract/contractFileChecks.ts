import { deepEqual, equal, ok } from 'node:assert/strict';
import { type ContractChecks, readAllLines } from './contractCheck.js';

export const FILE_CHECKS: ContractChecks = {
  'reads what was written': async (fs, { at }) => {
    await fs.writeFile(at('a.txt'), 'ein Text: äöü, 漢字, 🦊\r\n');
    equal(await fs.readFile(at('a.txt')), 'ein Text: äöü, 漢字, 🦊\r\n');
  },
  'replaces a file, also by a shorter one': async (fs, { at }) => {
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
  'returns bytes that later writes do not change': async (fs, { at }) => {
    await fs.writeFile(at('a'), 'before');
    const bytes = await fs.readFileBytes(at('a'));
    await fs.writeFile(at('a'), 'after!');
    equal(Buffer.from(bytes).toString(), 'before');
  },
  'appends, and creates the file': async (fs, { at }) => {
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
  'keeps appends whole and in order': async (fs, { at }) => {
    const expected = Array.from({ length: 100 }, (_, index) => `${index}:${'x'.repeat(index * 37)}`);
    for (const line of expected) await fs.appendFile(at('a'), `${line}\n`);
    ok((await fs.readFile(at('a'))) === `${expected.join('\n')}\n`, 'other lines');
    equal((await readAllLines(fs, at('a'))).length, expected.length);
  },
  'appends to many files in turn': async (fs, { at }) => {
    for (let round = 0; round < 3; round++) {
      for (let file = 0; file < 12; file++) await fs.appendFile(at(`f${file}`), `${round}`);
    }
    for (let file = 0; file < 12; file++) equal(await fs.readFile(at(`f${file}`)), '012');
  },
  'appends after a write in between': async (fs, { at }) => {
    await fs.appendFile(at('a'), 'old');
    await fs.writeFile(at('a'), 'new');
    await fs.appendFile(at('a'), '+');
    equal(await fs.readFile(at('a')), 'new+');
  },
  'appends to the file that currently has the name': async (fs, { at }) => {
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
  'forces a file to disk on request': async (fs, { at }) => {
    await fs.appendFile(at('a'), 'x');
    await fs.sync?.(at('a'));
    await fs.writeFile(at('b'), 'y');
    await fs.sync?.(at('b'));
    equal((await fs.readFile(at('a'))) + (await fs.readFile(at('b'))), 'xy');
  },
  'counts bytes, not characters': async (fs, { at }) => {
    await fs.writeFile(at('a'), 'ü€🦊');
    equal((await fs.stat(at('a'))).size, 9);
    await fs.appendFile(at('a'), 'é');
    equal((await fs.stat(at('a'))).size, 11);
  },
  'keeps a large text, cut anywhere during the transfer': async (fs, { at }) => {
    const text = `x${'€🦊'.repeat(400_000)}`;
    await fs.writeFile(at('a'), text);
    ok((await fs.readFile(at('a'))) === text, 'another text');
    await fs.appendFile(at('a'), text);
    ok((await fs.readFile(at('a'))) === text + text, 'another text after an append');
  },
  'keeps a copy of the given bytes': async (fs, { at }) => {
    const bytes = Buffer.from('before');
    await fs.writeFile(at('a'), bytes);
    await fs.appendFile(at('b'), bytes);
    bytes.fill('x');
    equal((await fs.readFile(at('a'))) + (await fs.readFile(at('b'))), 'beforebefore');
  },
  'keeps only the given part of a buffer': async (fs, { at }) => {
    const whole = Buffer.from('0123456789');
    await fs.writeFile(at('a'), whole.subarray(2, 5));
    await fs.appendFile(at('a'), new Uint8Array(whole.buffer, whole.byteOffset + 7, 2));
    equal(await fs.readFile(at('a')), '23478');
  },
  'creates an empty file by an empty append, and adds nothing to an existing one': async (fs, { at }) => {
    await fs.appendFile(at('a'), '');
    equal((await fs.stat(at('a'))).size, 0);
    await fs.appendFile(at('a'), 'x');
    await fs.appendFile(at('a'), new Uint8Array());
    equal(await fs.readFile(at('a')), 'x');
  },
  'empties a file': async (fs, { at }) => {
    await fs.writeFile(at('a'), 'something');
    await fs.writeFile(at('a'), new Uint8Array());
    deepEqual([await fs.readFile(at('a')), (await fs.stat(at('a'))).size], ['', 0]);
  },
  'reads invalid UTF-8 as text with replacement characters': async (fs, { at }) => {
    await fs.writeFile(at('a'), Uint8Array.of(0x61, 0xff, 0x62));
    equal(await fs.readFile(at('a')), 'a\uFFFDb');
    await fs.writeFile(at('a'), 'a\uD83Db');
    equal(await fs.readFile(at('a')), 'a\uFFFDb');
  },
  'keeps control characters and line ends unchanged': async (fs, { at }) => {
    const text = '\0\u0001\t\r\n\n\r\u001b[0m\u007f\u0085\u2029"\\';
    await fs.writeFile(at('a'), text);
    equal(await fs.readFile(at('a')), text);
  },
  'writes many files at once': async (fs, { at }) => {
    const names = Array.from({ length: 40 }, (_, index) => `f${index}`);
    await Promise.all(names.map((name) => fs.writeFile(at(name), name.repeat(1_000))));
    const read = await Promise.all(names.map((name) => fs.readFile(at(name))));
    ok(
      read.every((content, index) => content === names[index]?.repeat(1_000)),
      'mixed up',
    );
  },
  'appends to two files at once without mixing them': async (fs, { at }) => {
    const append = async (name: string) => {
      for (let index = 0; index < 50; index++) await fs.appendFile(at(name), `${name}${index}\n`);
    };
    await Promise.all([append('a'), append('b')]);
    for (const name of ['a', 'b']) {
      deepEqual(
        await readAllLines(fs, at(name)),
        Array.from({ length: 50 }, (_, index) => `${name}${index}`),
      );
    }
  },
  'reads a part of a file, if it can': async (fs, { at }) => {
    if (!fs.readRange) return;
    await fs.writeFile(at('a'), '0123456789');
    const parts = [
      await fs.readRange(at('a'), 0, 3),
      await fs.readRange(at('a'), 8, 10),
      await fs.readRange(at('a'), 10, 5),
      await fs.readRange(at('a'), 100, 5),
      await fs.readRange(at('a'), 4, 0),
    ];
    deepEqual(
      parts.map((part) => Buffer.from(part).toString()),
      ['012', '89', '', '', ''],
    );
  },
};
