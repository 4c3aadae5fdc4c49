import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, withoutDocs } from './workspace.js';

const SERVE = 'apps/cli/src/commands/serve.ts';
const ENTRIES: Readonly<Record<string, string>> = {
  '@agenthost/host': 'packages/host/src/index.ts',
  '@agenthost/host/internal': 'packages/host/src/internal.ts',
  '@agenthost/host/maintenance': 'packages/host/src/maintenance.ts',
};

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
      const entryOfHost = ENTRIES[specifier];
      if (entryOfHost !== undefined) files.add(entryOfHost);
      else if (!specifier.startsWith('.')) packages.add(specifier);
      else files.add(normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts'));
    }
  }
  return { files, packages };
}

describe.each([ENTRIES['@agenthost/host'] ?? '', SERVE])('a host without a database, from %s', (entry) => {
  const { files, packages } = loadedWith(entry);
  const inFolder = (...names: string[]) => [...files].filter((file) => names.some((name) => file.includes(name)));

  it('loads no driver', () => {
    expect(packages).toContain('ws');
    expect(packages).not.toContain('pg');
  });

  it('loads what encrypts notifications only when a device subscribes', () => {
    expect(files).toContain('packages/host/src/push/vapidSigner.ts');
    expect(packages).not.toContain('web-push');
  });

  it('loads OpenTelemetry only where it is on', () => {
    expect(files).toContain('packages/host/src/telemetry/telemetry.ts');
    expect([...packages].filter((name) => name.startsWith('@opentelemetry/'))).toEqual([]);
  });

  it('loads nothing that speaks to one, and nothing of its other hosts', () => {
    // The error that says what is wrong with an address.
    const isError = (file: string) => file === 'packages/host/src/database/connectionConfig.ts';
    expect(inFolder('src/database/').filter((file) => !isError(file))).toEqual([]);
    expect(inFolder('src/cluster/', 'src/move/')).toEqual([]);
    expect(loadedWith('packages/host/src/databaseBackend.ts').files.size).toBeGreaterThan(10);
  });

  it('loads terminals, parsers, certificates, files of clients and sessions of agents when they are used', () => {
    expect(packages).not.toContain('yaml');
    expect(packages).not.toContain('@lydell/node-pty');
    expect([...packages].filter((name) => /peculiar|agentclientprotocol|uqr|^diff$/.test(name))).toEqual([]);
    expect(inFolder('src/storage/client/', 'copilotSession', 'shellSession', 'mockSession', 'acpSession')).toEqual([]);
  });
});
