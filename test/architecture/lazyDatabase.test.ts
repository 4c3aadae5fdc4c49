import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, withoutDocs } from './workspace.js';

const ENTRY = 'packages/host/src/index.ts';

/** What a file needs at once: no types, and nothing that is loaded later. */
function loaded(file: string): string[] {
  const source = withoutDocs(readFileSync(join(ROOT, file), 'utf8'));
  const statements = source.matchAll(/^(?:import|export)\s+(?!type\b)([^'"]*?from\s+)?['"]([^'"]+)['"]/gm);
  return [...statements].flatMap(([, names = '', specifier = '']) => {
    const isTypes =
      /^\{/.test(names) &&
      names
        .replace(/^\{|\}\s*from\s*$/g, '')
        .split(',')
        .every(isTypeOrNothing);
    return isTypes ? [] : [specifier];
  });
}

function isTypeOrNothing(name: string): boolean {
  return name.trim() === '' || name.trim().startsWith('type ');
}

function loadedWith(entry: string): { readonly files: Set<string>; readonly packages: Set<string> } {
  const files = new Set([entry]);
  const packages = new Set<string>();
  for (const file of files) {
    for (const specifier of loaded(file)) {
      if (!specifier.startsWith('.')) packages.add(specifier);
      else files.add(normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts'));
    }
  }
  return { files, packages };
}

describe('a host without a database', () => {
  const { files, packages } = loadedWith(ENTRY);

  it('loads no driver', () => {
    expect(packages).toContain('ws');
    expect(packages).not.toContain('pg');
  });

  it('loads what encrypts notifications only when a device subscribes', () => {
    expect(files).toContain('packages/host/src/push/vapidSigner.ts');
    expect(packages).not.toContain('web-push');
  });

  it('loads nothing that speaks to one', () => {
    const found = [...files].filter((file) => file.includes('src/database/'));
    // The error that says what is wrong with an address.
    expect(found).toEqual(['packages/host/src/database/connectionConfig.ts']);
    expect(loadedWith('packages/host/src/databaseBackend.ts').files.size).toBeGreaterThan(10);
  });
});
