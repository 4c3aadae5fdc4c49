import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../architecture/workspace.js';

const PAGE = 'docs/clusterRules.md';
const ID = /\b(?:OWN|FEN|FOL)\d\b/;

/** By rule, the files of its tests as they are named on the page. */
function rulesOf(text: string): Map<string, readonly string[]> {
  const items = text.split(/^(?=- \*\*|#)/m).filter((item) => item.startsWith('- **'));
  return new Map(
    items.map((item) => {
      const files = [...item.matchAll(/\]\(\.\.\/([^)]+\.test\.ts)\)/g)].map(([, file = '']) => file);
      return [ID.exec(item)?.[0] ?? item, files];
    }),
  );
}

/** By file, the rules that its tests carry in their names. */
function carried(): Map<string, ReadonlySet<string>> {
  const files = globSync(['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'], { cwd: ROOT });
  const found = files.map((file) => {
    const names = readFileSync(join(ROOT, file), 'utf8').matchAll(/['"`].*/g);
    const ids = [...names].flatMap(([line]) => [...line.matchAll(/\[((?:OWN|FEN|FOL)\d)\]/g)].map(([, id = '']) => id));
    return [file, new Set(ids)] as const;
  });
  return new Map(found.filter(([, ids]) => ids.size > 0));
}

const rules = rulesOf(readFileSync(join(ROOT, PAGE), 'utf8'));
const tests = carried();

describe(`the rules of ${PAGE}`, () => {
  it('are all there', () => {
    expect([...rules.keys()].join(' ')).toBe(
      'OWN1 OWN2 OWN3 OWN4 OWN5 FEN1 FEN2 FEN3 FEN4 FEN5 FEN6 FEN7 FOL1 FOL2 FOL3 FOL4',
    );
  });

  it.each([...rules])('%s has a test, and each file that is named beside it carries it', (id, files) => {
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !tests.get(file)?.has(id))).toEqual([]);
  });

  it('are all that tests carry', () => {
    const unknown = [...tests].flatMap(([file, ids]) =>
      [...ids].filter((id) => !rules.has(id)).map((id) => [file, id]),
    );
    expect(unknown).toEqual([]);
  });

  it('would be missed', () => {
    const [id, files = []] = [...rulesOf('- **FEN9** text [a](../test/a.test.ts)\n- **x** y\n')][0] ?? [];
    expect([id, files.filter((file) => !tests.get(file)?.has('FEN9'))]).toEqual(['FEN9', ['test/a.test.ts']]);
  });
});
