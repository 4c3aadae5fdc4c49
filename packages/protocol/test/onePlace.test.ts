import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ACTION_INTRODUCED_IN } from '../src/tables/tableRules.js';

const SOURCES = join(import.meta.dirname, '../src');
const read = (path: string) => readFileSync(join(SOURCES, path), 'utf8');
/** Hand-written: `types` is generated, and a frozen version never changes. */
const FILES = globSync('**/*.ts', { cwd: SOURCES }).filter((path) => !/^(?:types|version\/frozen)\//.test(path));

/** Places where an action is named for a rule of its own. None of them has to grow for a new action. */
const OWN_RULES: Readonly<Record<string, readonly string[]>> = {
  // A turn ends in three ways, and only one of them is an error.
  'reducers/turns.ts': ['session/turnCancelled', 'session/turnComplete', 'session/error'],
  // The role depends on what is in the answer.
  'tables/tableRules.ts': ['session/permissionResolved', 'session/toolCallConfirmed'],
};

describe('an action', () => {
  it.each(Object.keys(ACTION_INTRODUCED_IN))('is defined in two places: %s', (type) => {
    const found = FILES.flatMap((path) => {
      const code = read(path).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      return Array.from(code.matchAll(new RegExp(`'${type}'`, 'g')), () => path);
    });
    const isOwnRule = (path: string) => OWN_RULES[path]?.includes(type) === true;
    expect(found.filter((path) => !isOwnRule(path)).sort()).toEqual([
      'schemas/actionSchemas.ts',
      'tables/actionTable.ts',
    ]);
  });
});

describe('an entry', () => {
  it.each(['index.ts', 'internal.ts'])('loads neither zod nor a schema: %s', (entry) => {
    const loaded = loadedFrom(entry);
    expect(loaded).toContain('tables/actionTable.ts');
    expect(loaded.filter((path) => path === 'zod' || path.startsWith('schemas/'))).toEqual([]);
  });

  it('of the schemas is found to load it', () => {
    expect(loadedFrom('schemas/schemas.ts')).toContain('zod');
  });
});

/** The modules that are loaded at run time: types are imported and exported by `import type` and `export type`. */
function loadedFrom(entry: string): string[] {
  const seen = new Set<string>();
  const load = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    if (!path.endsWith('.ts')) return;
    for (const [, from = ''] of read(path).matchAll(/^(?:import|export) (?!type\b)[^;]*?from '([^']+)';/gm)) {
      load(from.startsWith('.') ? relative(SOURCES, join(SOURCES, dirname(path), from.replace(/\.js$/, '.ts'))) : from);
    }
  };
  load(entry);
  return [...seen];
}
