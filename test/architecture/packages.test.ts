import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ROOT, readJson, workspaces } from './workspace.js';

const run = promisify(execFile);

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly description: string;
  readonly type: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const published = workspaces().filter((workspace) => workspace.startsWith('packages/'));

describe.each(published)('%s as it is published', (workspace) => {
  const manifest = readJson(`${workspace}/package.json`) as Manifest;
  const packed = pack(workspace);

  it('holds built ESM with types, maps, their sources, a README and the licence, and no tests', async () => {
    const files = await packed;
    expect(files).toEqual(
      expect.arrayContaining(['package.json', 'README.md', 'LICENSE', 'dist/index.js', 'dist/index.d.ts']),
    );
    const strays = files.filter(
      (file) =>
        !/^(dist\/.*\.(js|d\.ts)(\.map)?|(src|contract)\/.*\.ts|(schema|agent-locks)\/.*\.json|[A-Z]+(\.md)?|package\.json)$/.test(
          file,
        ),
    );
    expect(strays).toEqual([]);
    expect(files.filter((file) => /test|fixture|tsbuildinfo/i.test(file))).toEqual([]);
  });

  it('has a map beside each file that was built, of a source that is in it', async () => {
    const files = new Set(await packed);
    // The host's bundle is made of these, and reads like them.
    const built = [...files].filter((file) => /^dist\/(?!bundled\/).*\.(js|d\.ts)$/.test(file));
    expect(built.filter((file) => !files.has(`${file}.map`))).toEqual([]);
    const lost = built.flatMap((file) => {
      const { sources } = readJson(`${workspace}/${file}.map`) as { sources: string[] };
      return sources.map((source) => posix.join(posix.dirname(file), source)).filter((source) => !files.has(source));
    });
    expect(lost).toEqual([]);
  });

  it('says what a registry needs to know', () => {
    expect(manifest).toMatchObject({
      name: `@agenthost/${workspace.slice('packages/'.length)}`,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      license: 'MIT',
      type: 'module',
      description: expect.stringMatching(/.{20}/),
    });
  });

  it('exports only files that are in it, and its code loads in a plain Node', async () => {
    const files = await packed;
    for (const [path, target] of Object.entries(manifest.exports)) {
      for (const file of typeof target === 'string' ? [target] : [target.types, target.default]) {
        const pattern = new RegExp(`^${file.replace('./', '').replaceAll('.', '\\.').replace('*', '.+')}$`);
        expect(
          files.some((name) => pattern.test(name)),
          `${path} → ${file}`,
        ).toBe(true);
      }
    }
    const code = Object.entries(manifest.exports).flatMap(([path, target]) =>
      typeof target !== 'string' && !path.includes('*') ? [`${manifest.name}${path.slice(1)}`] : [],
    );
    for (const name of code) {
      const script = `console.log(Object.keys(await import('${name}')).length)`;
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT });
      expect(Number(stdout), name).toBeGreaterThan(0);
    }
  });

  it('pins its siblings to their version', () => {
    for (const [name, range] of Object.entries(manifest.dependencies ?? {})) {
      if (!name.startsWith('@agenthost/')) continue;
      const sibling = readJson(`packages/${name.slice('@agenthost/'.length)}/package.json`) as Manifest;
      expect(range, name).toBe(sibling.version);
    }
  });
});

describe('every dependency', () => {
  it('is mentioned in docs/adr', () => {
    const pages = globSync('docs/adr/*.md', { cwd: ROOT }).map((page) => readFileSync(join(ROOT, page), 'utf8'));
    const manifests = ['package.json', ...workspaces().map((workspace) => `${workspace}/package.json`)];
    const names = manifests.flatMap((path) => {
      const { dependencies, devDependencies } = readJson(path) as Manifest;
      return Object.keys({ ...dependencies, ...devDependencies });
    });
    const others = names.filter((name) => !/^@(?:agenthost|types)\//.test(name));
    expect(others.length).toBeGreaterThan(20);
    expect(others.filter((name) => !pages.some((page) => page.includes(`\`${name}\``)))).toEqual([]);
  });
});

describe('the lock file', () => {
  it('names no registry', () => {
    const { packages } = readJson('package-lock.json') as { packages: Record<string, { resolved?: string }> };
    const addresses = Object.values(packages).flatMap(({ resolved }) => (resolved?.includes('://') ? [resolved] : []));
    expect(addresses).toEqual([]);
  });
});

async function pack(workspace: string): Promise<string[]> {
  const npm = process.env['npm_execpath'];
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'];
  const options = { cwd: join(ROOT, workspace), maxBuffer: 1 << 24 };
  const { stdout } = npm ? await run(process.execPath, [npm, ...args], options) : await run('npm', args, options);
  const result: unknown = JSON.parse(stdout);
  const [entry] = (Array.isArray(result) ? result : Object.values(result as object)) as { files: { path: string }[] }[];
  return (entry?.files ?? []).map((file) => file.path);
}
