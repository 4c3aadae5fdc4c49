import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../src');
const sheets = globSync('**/*.css', { cwd: SRC });
const files = globSync('**/*.{ts,tsx}', { cwd: SRC }).map((file) => ({
  file,
  text: readFileSync(join(SRC, file), 'utf8'),
}));
const source = files.map(({ text }) => text).join('\n');
/** Made of what a program printed. */
const COMPUTED = /^ansi-/;

it('has no rule for an unused class', () => {
  const words = new Set(source.match(/[\w-]+/g));
  const unworn = sheets.flatMap((sheet) => {
    const rules = readFileSync(join(SRC, sheet), 'utf8').replace(/\/\*.*?\*\//gs, '');
    const selectors = [...rules.matchAll(/([^{}]+)\{/g)].map(([, selector]) => selector ?? '');
    const classes = selectors.flatMap((selector) => selector.match(/(?<=\.)[a-z][\w-]*/gi) ?? []);
    return classes.filter((name) => !words.has(name) && !COMPUTED.test(name)).map((name) => `${sheet}: .${name}`);
  });
  expect(unworn).toEqual([]);
});

it('imports every style sheet, and no other', () => {
  // Some come with what is loaded later.
  const imported = files.flatMap(({ file, text }) =>
    [...text.matchAll(/import '\.\/([^']+\.css)'/g)].map(([, sheet = '']) => join(dirname(file), sheet)),
  );
  expect([...new Set(imported)].toSorted()).toEqual(sheets.toSorted());
});
