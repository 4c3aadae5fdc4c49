import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const FILES = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
const PACKAGES = [...new Set(FILES.flatMap((file) => /^(?:packages|apps)\/[^/]+\//.exec(file) ?? []))];

const table = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8').split('## Where do I change X')[1] ?? '';
const rows = table.split('\n').flatMap((line) => {
  const [, subject = '', places] = line.split('|');
  return places === undefined || places.includes('---') ? [] : [[subject.trim(), places] as const];
});

/** The places of a row that are not there. A name without a package is in the package that was named before it. */
function missingIn(places: string): string[] {
  const missing: string[] = [];
  let inPackage = '';
  for (const [, name = ''] of places.matchAll(/`([^` ]+)`/g)) {
    const folder = PACKAGES.find((one) =>
      one.startsWith(name.replace(/^(?:packages|apps)\//, '').split('/', 1)[0] ?? '', one.indexOf('/') + 1),
    );
    if (folder && name.includes('/')) inPackage = folder;
    if (!/\/|\.(?:tsx?|mjs|md|json)$/.test(name)) continue;
    const found = FILES.some((file) => isAt(file, name.replace(/\/$/, ''), inPackage));
    if (!found) missing.push(name);
  }
  return missing;
}

function isAt(file: string, name: string, inPackage: string): boolean {
  const ends = [`**/${name}`, `**/${name}/**`];
  return file === name || (file.startsWith(inPackage) && ends.some((end) => matchesGlob(`/${file}`, end)));
}

describe('"Where do I change X" in ARCHITECTURE.md', () => {
  it('has rows', () => {
    expect(rows.length).toBeGreaterThan(30);
  });

  it.each(rows)('names files that exist: %s', (_, places) => {
    expect(missingIn(places)).toEqual([]);
  });
});
