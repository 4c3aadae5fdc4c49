import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const NAMES = ['message', 'event'] as const;

/** The files that each sequence diagram of ARCHITECTURE.md names, in the order of `NAMES`. */
const diagrams = (await readFile(join(ROOT, 'ARCHITECTURE.md'), 'utf8'))
  .split('```mermaid\nsequenceDiagram')
  .slice(1)
  .map((text) =>
    [...(text.split('```')[0] ?? '').matchAll(/^ +participant \w+ as (.+)$/gm)].map(([, name]) => pathOf(name)),
  );

function pathOf(name = ''): string {
  return `packages/${name.replace('<br/>', '')}`;
}

describe('the sequence diagrams of ARCHITECTURE.md', () => {
  let run: Readonly<Record<(typeof NAMES)[number], readonly string[]>>;

  beforeAll(async () => {
    const script = join(ROOT, 'scripts/messagePath.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [script, '--json'], { maxBuffer: 1_000_000 });
    run = JSON.parse(stdout);
  }, 60_000);

  it('are one of a message and one of an event', () => {
    expect(diagrams.map((files) => files.length > 5)).toEqual([true, true]);
  });

  it.each(NAMES.map((name, at) => [name, diagrams[at] ?? []] as const))(
    'name only files that a real %s passes',
    (name, named) => {
      expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
      expect(named.filter((file) => !run[name].includes(file))).toEqual([]);
    },
  );

  // The fewer files a message passes, the easier it is to follow. Raise this only with a reason.
  it('leaves a message to pass at most 75 files', () => {
    expect(run.message.length).toBeLessThanOrEqual(75);
  });
});
