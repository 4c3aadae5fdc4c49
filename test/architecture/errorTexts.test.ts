import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, sourceFiles, workspaces } from './workspace.js';

// Programs decide by codes and fields. Where a text of another program is all that there is, its file is listed here.

const READS_TEXT: Readonly<Record<string, string>> = {
  'packages/host/src/agents/acp/acpFailure.ts': 'leaves out a standard sentence that says no more than its code',
  'packages/host/src/agents/acp/agentsFile.ts': 'JSON.parse tells the position of an error in its message alone',
  'packages/host/src/database/database.ts': 'pg has no code for a connection that was lost',
  'packages/host/src/database/databaseErrors.ts': 'pg has no code for a password that is missing',
  'packages/host/src/sessionIndex/indexDamage.ts': 'SQLite has no code for a table that is missing',
  'packages/host/src/storage/fs/confinement.ts': 'writes the path that the caller knows into the message',
  'packages/host/src/storage/artifacts/workspaceYaml.ts': 'shows the first line of what the YAML parser says',
  'apps/cli/src/command.ts': 'shows the first sentence of what parseArgs of Node says',
};

const TEXT = String.raw`\b(?:message|reason|rejectionReason|whatToDo)\b`;
const READS = [
  new RegExp(
    `${TEXT}\\)?\\??\\.(?:match|matchAll|startsWith|endsWith|includes|indexOf|search|split|replace|replaceAll)\\(`,
  ),
  new RegExp(`\\.(?:test|exec)\\([^)]*${TEXT}`),
  new RegExp(`(?<!typeof [\\w.]*)\\.${TEXT} [!=]==? ['"\`]\\w`),
];

describe('the text of an error', () => {
  it('is read by no code but where there is nothing else', () => {
    const found = workspaces()
      .flatMap(sourceFiles)
      .filter((file) => readFileSync(join(ROOT, file), 'utf8').split('\n').some(readsText));
    expect(found.sort()).toEqual(Object.keys(READS_TEXT).sort());
  });

  it.each([
    "if (error.message.startsWith('no')) return;",
    '/disk is full/.test(error.message);',
    "if (cause.reason === 'unknown session') return;",
    "(error as Error).message.split('. ')[0]",
  ])('would be found in %j', (line) => {
    expect(readsText(line)).toBe(true);
  });
});

function readsText(line: string): boolean {
  return READS.some((pattern) => pattern.test(line));
}
