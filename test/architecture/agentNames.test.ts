import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../packages/host/src/agents/acp/catalogue.js';
import { TOOL_NAMES } from '../../packages/host/src/agents/copilot/toolDisplay.js';
import { ACP_CASES } from '../agents/support/acpCases.js';
import { ROOT, sourceFiles, withoutDocs } from './workspace.js';

const CLIENTS = ['packages/protocol', 'packages/rpc', 'packages/client', 'packages/sessions', 'apps/web', 'apps/cli'];
const PROVIDERS = ['shell', 'mock', 'copilot', ...CATALOGUE.map(({ provider }) => provider)];
const ALL_TOOLS = [...TOOL_NAMES, ...ACP_CASES.flatMap(({ shell, write }) => [shell('').name, write('', '').name])];

/** Everyday words, which mean other things elsewhere; that no client reads `toolName` holds for them as well. */
const PLAIN_WORDS = ['create', 'edit', 'patch', 'task', 'view', 'write', 'Write'];
const TOOLS = ALL_TOOLS.filter((name) => !PLAIN_WORDS.includes(name));

/** Names that mean something else where they stand. */
const OTHER_MEANINGS: Readonly<Record<string, readonly string[]>> = {
  // Languages that code is highlighted as.
  'apps/web/src/markdown/languageName.ts': ['bash', 'powershell'],
  // Shells that the command completes for.
  'apps/cli/src/completionScripts.ts': ['bash'],
};

/** Whole string literals, and keys of objects that have to be quoted. */
function literalsOf(source: string): Set<string> {
  return new Set([...withoutDocs(source).matchAll(/(['"`])([\w-]+)\1/g)].map(([, , text]) => text ?? ''));
}

function found(files: readonly string[], names: readonly string[]): string[] {
  return files.flatMap((file) => {
    const literals = literalsOf(readFileSync(join(ROOT, file), 'utf8'));
    const allowed = OTHER_MEANINGS[file] ?? [];
    return [...new Set(names)]
      .filter((name) => literals.has(name) && !allowed.includes(name))
      .map((name) => `${file}: ${name}`);
  });
}

describe("only an agent's own folder knows it by name", () => {
  const clients = CLIENTS.flatMap(sourceFiles);

  it('checks all clients', () => {
    expect(clients.length).toBeGreaterThan(200);
    expect(TOOLS.length).toBeGreaterThan(20);
    expect(found(['packages/host/src/agents/copilot/toolDisplay.ts'], TOOLS).length).toBeGreaterThan(0);
  });

  it('no client knows a tool', () => {
    expect(found(clients, TOOLS)).toEqual([]);
    const reads = clients
      .filter((file) => !file.startsWith('packages/protocol/'))
      .filter((file) => /\btoolName\b/.test(readFileSync(join(ROOT, file), 'utf8')));
    expect(reads).toEqual([]);
  });

  it('no client knows an agent', () => {
    expect(found(clients, PROVIDERS)).toEqual([]);
  });

  it("the host knows no tool outside of the agents' folders", () => {
    const host = sourceFiles('packages/host').filter(
      (file) => !/\/agents\/(?:shell|mock|copilot|acp|native)\//.test(file),
    );
    expect(found(host, TOOLS)).toEqual([]);
  });
});
