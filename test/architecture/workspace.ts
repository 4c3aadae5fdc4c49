import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** Every workspace of the repository, as a path like `packages/rpc`. */
export function workspaces(): string[] {
  const { workspaces } = readJson('package.json') as { workspaces: string[] };
  return globSync(workspaces, { cwd: ROOT })
    .filter((path) => existsSync(join(ROOT, path, 'package.json')))
    .sort();
}

export function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}

export function sourceFiles(workspace: string): string[] {
  return globSync(`${workspace}/src/**/*.{ts,tsx}`, { cwd: ROOT }).sort();
}

/** Without doc comments: their examples may import and name what the code may not. */
export function withoutDocs(source: string): string {
  return source.replace(/^[ \t]*\/\*\*[\s\S]*?\*\//gm, '');
}

/** What a file imports or re-exports, statically or not. */
export function importsOf(file: string): string[] {
  const source = withoutDocs(file);
  const statement = /(?:^|[;}\s])(?:import|export)\s(?:[^'"`;]*?\sfrom\s*)?['"]([^'"]+)['"]/g;
  const call = /\b(?:import|require)\s*\(\s*['"`]([^'"`]+)['"`]/g;
  return [...source.matchAll(statement), ...source.matchAll(call)].flatMap(([, specifier]) => specifier ?? []);
}
