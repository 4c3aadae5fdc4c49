import { deepEqual, equal, ok } from 'node:assert/strict';
import { MAX_LINE_BYTES } from '@agenthost/host/internal';
import { type ContractChecks, failsWith, readAllLines } from './contractCheck.js';

export const LINE_CHECKS: ContractChecks = {
  'reads lines, which end only at \\n': async (fs, { at }) => {
    await fs.writeFile(at('a'), 'one\r\ntwo\n\nü\u2028\rx\n');
    deepEqual(await readAllLines(fs, at('a')), ['one\r', 'two', '', 'ü\u2028\rx']);
  },
  'reads a last line without an end': async (fs, { at }) => {
    await fs.writeFile(at('a'), 'one\ntwo');
    deepEqual(await readAllLines(fs, at('a')), ['one', 'two']);
  },
  'reads lines from a byte offset': async (fs, { at }) => {
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
  'refuses an endless line': async (fs, { at }) => {
    await fs.writeFile(at('a'), Buffer.concat([Buffer.from('first\n'), Buffer.alloc(MAX_LINE_BYTES + 1, 'x')]));
    await failsWith('EFBIG', readAllLines(fs, at('a')));
  },
  'can stop reading in the middle of a file': async (fs, { at }) => {
    await fs.writeFile(at('a'), 'x\n'.repeat(100_000));
    for await (const line of fs.readLines(at('a'))) {
      equal(line, 'x');
      break;
    }
    await fs.rm(at('a'));
  },
  'reads lines that end with \\r\\n, the last one without an end': async (fs, { at }) => {
    await fs.writeFile(at('a'), 'one\r\n\r\ntwo\r');
    deepEqual(await readAllLines(fs, at('a')), ['one\r', '\r', 'two\r']);
  },
  'reads empty lines': async (fs, { at }) => {
    await fs.writeFile(at('a'), '\n\n\nx\n\n');
    deepEqual(await readAllLines(fs, at('a')), ['', '', '', 'x', '']);
  },
  'reads lines from the end of one': async (fs, { at }) => {
    await fs.writeFile(at('a'), 'one\ntwo');
    deepEqual(await readAllLines(fs, at('a'), 3), ['', 'two']);
    deepEqual(await readAllLines(fs, at('a'), 4), ['two']);
    deepEqual(await readAllLines(fs, at('a'), 6), ['o']);
    deepEqual(await readAllLines(fs, at('a'), 7), []);
  },
  'reads lines from an offset far into a large file': async (fs, { at }) => {
    const line = `${'€'.repeat(40)}\n`;
    await fs.writeFile(at('a'), line.repeat(20_000));
    const bytes = Buffer.byteLength(line);
    equal((await readAllLines(fs, at('a'), bytes * 19_990)).length, 10);
    const [cut] = await readAllLines(fs, at('a'), bytes * 19_999 + 3);
    equal(cut, '€'.repeat(39));
  },
  'reads lines twice at the same time': async (fs, { at }) => {
    await fs.writeFile(at('a'), 'one\ntwo\nthree\n');
    const [first, second] = [fs.readLines(at('a')), fs.readLines(at('a'), 4)].map((lines) =>
      lines[Symbol.asyncIterator](),
    );
    deepEqual(
      [await first?.next(), await second?.next(), await first?.next(), await second?.next()].map((step) => step?.value),
      ['one', 'two', 'two', 'three'],
    );
    await Promise.all([first?.return?.(), second?.return?.()]);
  },
  'reads lines that were appended since': async (fs, { at }) => {
    await fs.appendFile(at('a'), 'one\n');
    deepEqual(await readAllLines(fs, at('a')), ['one']);
    await fs.appendFile(at('a'), 'two\n');
    deepEqual(await readAllLines(fs, at('a'), 4), ['two']);
  },
};
