import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from './workspace.js';

// Each package compiles with its own `lib` and `types`. A probe with something that a package must not use is compiled
// with that package's own settings, and has to fail.

const folder = join(ROOT, '.cache/layer-probes');

beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true, force: true }));

const probes = [
  ['packages/protocol', 'a timer', 'setTimeout(() => {}, 1);', 'setTimeout'],
  ['packages/protocol', 'the console', `console.log('x');`, 'console'],
  ['packages/protocol', 'a Node module', `import { readFileSync } from 'node:fs';\nreadFileSync('x');`, 'node:fs'],
  ['packages/protocol', 'the page', 'document.title;', 'document'],
  ['packages/rpc', 'a Node module', `import { readFileSync } from 'node:fs';\nreadFileSync('x');`, 'node:fs'],
  ['packages/rpc', 'a global of Node', 'process.exit();', 'process'],
  ['packages/client', 'a Node module', `import { readFileSync } from 'node:fs';\nreadFileSync('x');`, 'node:fs'],
  ['packages/client', 'a global of Node', 'Buffer.from([]);', 'Buffer'],
  ['packages/sessions', 'a Node module', `import { readFileSync } from 'node:fs';\nreadFileSync('x');`, 'node:fs'],
  ['packages/sessions', 'a global of Node', 'process.exit();', 'process'],
  ['packages/host', 'the page', 'document.title;', 'document'],
] as const;

describe('layers', () => {
  it.each(probes)('%s does not compile with %s', async (workspace, _, code, culprit) => {
    const errors = await compile(workspace, code);
    expect(errors).toContain('error TS');
    expect(errors).toContain(culprit);
  });

  it.each([...new Set(probes.map(([workspace]) => workspace))])(
    '%s compiles with nothing of the kind',
    async (workspace) => {
      expect(await compile(workspace, 'export const answer: number = [42].at(0) ?? 0;')).toBe('');
    },
  );
});

async function compile(workspace: string, code: string): Promise<string> {
  const name = `probe-${workspace.replaceAll('/', '-')}-${crypto.randomUUID()}`;
  await writeFile(join(folder, `${name}.ts`), `${code}\nexport {};\n`);
  const config = {
    extends: `../../${workspace}/tsconfig.json`,
    compilerOptions: { composite: false, noEmit: true, rootDir: '.', tsBuildInfoFile: null },
    include: [],
    files: [`${name}.ts`],
  };
  await writeFile(join(folder, `${name}.json`), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, '-p', join(folder, `${name}.json`)], (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}
