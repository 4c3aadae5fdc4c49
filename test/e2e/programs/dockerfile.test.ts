import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, matchesGlob } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packAll } from '../../../scripts/pack.ts';
import { ROOT } from '../../architecture/workspace.js';
import { InstalledRegistry } from '../../support/installedRegistry.js';
import { copyRepository } from '../../support/repositoryCopy.js';
import { temporaryFolder } from '../../support/testHost.js';

/*
 * There is no Docker engine where the tests run (18 November 2026). So the steps of the Dockerfile are carried out here, in a folder
 * instead of a container. Not carried out: the base image, `apt-get`, `chown`, the change of the user, and the download of the
 * packages that the build needs, for which those of this repository are used.
 */

const run = promisify(execFile);
const LONG = 600_000;

interface Instruction {
  readonly name: string;
  readonly value: string;
}

const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
const instructions: Instruction[] = text
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, name = '', value = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    return { name, value };
  });
const lastFrom = instructions.findLastIndex(({ name }) => name === 'FROM');
const [build, image] = [instructions.slice(0, lastFrom), instructions.slice(lastFrom)];
const of = (name: string, list = image) => list.filter((one) => one.name === name).map(({ value }) => value);
const list = (name: string) => JSON.parse(of(name).at(-1) ?? '[]') as string[];

describe('the Dockerfile', () => {
  it('has two stages, a user that is not root, a volume for the state, a health check, and no secret', () => {
    expect(of('FROM', instructions)).toHaveLength(2);
    expect(of('USER')).toEqual(['node']);
    expect(image.findIndex(({ name }) => name === 'USER')).toBeLessThan(
      image.findIndex(({ name }) => name === 'VOLUME'),
    );
    expect(list('VOLUME')).toEqual(['/state']);
    expect(of('ENV').join(' ')).toContain('AGENTHOST_HOME=/state');
    expect(of('HEALTHCHECK').join()).toContain('CMD ["node"');
    expect(text).not.toMatch(/AGENTHOST_TOKEN|PASSWORD|^ARG /m);
    // Everything that is copied from this machine goes through .dockerignore; the image takes only what the build has packed.
    expect(of('COPY')).toEqual(['--from=build /packed /packed']);
    expect(of('ADD', instructions)).toEqual([]);
  });

  it('leaves out what is not a source, and nothing that is one', async () => {
    const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const isIgnored = (path: string) =>
      path
        .split('/')
        .some((_, at, parts) => ignored.some((pattern) => matchesGlob(parts.slice(0, at + 1).join('/'), pattern)));
    for (const path of [
      '.git/config',
      'node_modules/x/y.js',
      'apps/cli/dist/main.js',
      '.cache/dev-state/token',
      'a/key.pem',
      '.env',
    ])
      expect([path, isIgnored(path)]).toEqual([path, true]);
    const needed = [
      'package.json',
      'package-lock.json',
      '.npmrc',
      'tsconfig.base.json',
      ...globSync('{packages,apps,scripts}/**', { cwd: ROOT }),
    ];
    const sources = needed.filter((path) => !/(^|\/)(node_modules|dist|test)(\/|$)|tsbuildinfo/.test(path));
    expect(sources.length).toBeGreaterThan(500);
    expect(sources.filter(isIgnored)).toEqual([]);
  });
});

describe('its steps, in a folder', () => {
  let root: string;
  let source: string;
  let registry: InstalledRegistry;
  let host: ChildProcess;
  const env: Record<string, string> = {};

  /** Paths of the container are folders below `root`. */
  const here = (words: string) => words.replaceAll(/(?<=^|[\s"=:])\/(packed|app|state|work)\b/g, `${root}/$1`);
  const shell = (command: string, cwd: string) => run('sh', ['-ec', command], { cwd, env, maxBuffer: 1 << 24 });

  beforeAll(async () => {
    root = await temporaryFolder();
    source = await copyRepository();
  }, LONG);
  afterAll(async () => {
    if (host?.exitCode === null) {
      const ended = once(host, 'exit');
      host.kill('SIGTERM');
      await ended;
    }
    await registry?.dispose();
    for (const folder of [root, source])
      await rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  }, LONG);

  it('the first stage builds and packs from sources alone', { timeout: LONG }, async () => {
    for (const built of globSync('{packages,apps}/**/{dist,*.tsbuildinfo}', { cwd: source })) {
      await rm(join(source, built), { recursive: true, force: true });
    }
    Object.assign(env, { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, HOME: root, LANG: 'C.UTF-8' });
    const [command = ''] = of('RUN', build);
    expect(of('RUN', build)).toHaveLength(1);
    await shell(here(command), source);
    expect((await readdir(join(root, 'packed'))).filter((name) => name.startsWith('agenthost-'))).toHaveLength(7);
  });

  it('the second stage installs them, and has no token', { timeout: LONG }, async () => {
    const packed = (await readdir(join(root, 'packed'))).map((name) => join(root, 'packed', name));
    registry = await InstalledRegistry.start(packed.length > 0 ? packed : packAll(join(root, 'packed')));
    Object.assign(env, { npm_config_registry: registry.url });
    await run('mkdir', [join(root, 'app')]);
    const left: string[] = [];
    for (const command of of('RUN')) {
      const parts = here(command).split(' && ');
      const done = parts.filter((part) => !/^(apt-get|chown|rm -rf \/var)/.test(part));
      left.push(...parts.filter((part) => !done.includes(part)).map((part) => part.split(' ')[0] ?? ''));
      if (done.length > 0) await shell(done.join(' && '), join(root, 'app'));
    }
    expect(left).toEqual(['apt-get', 'apt-get', 'rm', 'chown']);
    expect((await stat(join(root, 'state'))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(root, 'state'))).toEqual([]);
    expect(existsSync(join(root, 'packed'))).toBe(false);
  });

  it('starts, is healthy, keeps its token in the volume, and stops on SIGTERM', { timeout: LONG }, async () => {
    for (const [, name = '', value = ''] of of('ENV')
      .join(' ')
      .matchAll(/(\w+)=(\S+)/g))
      env[name] = here(value);
    // This Node instead of that of the base image, and any free port: the usual one may be taken.
    env['PATH'] = `${dirname(process.execPath)}:${env['PATH']}`;
    const [program = '', ...args] = [...list('ENTRYPOINT'), ...list('CMD'), '--port', '0'];
    host = spawn(program, args, { cwd: join(root, 'work'), env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    await new Promise<void>((resolve, reject) => {
      for (const stream of [host.stdout, host.stderr])
        stream?.on('data', (chunk) => {
          said += String(chunk);
          if (/#token=\S+\s/.test(said)) resolve();
        });
      host.on('exit', () => reject(new Error(`it ended: ${said}`)));
    });
    const port = /127\.0\.0\.1:(\d+)/.exec(said)?.[1] ?? '';
    env['AGENTHOST_HEALTH_URL'] = (env['AGENTHOST_HEALTH_URL'] ?? '').replace('4747', port);
    const [node = '', ...check] = JSON.parse(/CMD (\[.*\])/.exec(of('HEALTHCHECK').join())?.[1] ?? '[]') as string[];
    await run(node, check, { env });
    expect((await stat(join(root, 'state/token'))).mode & 0o777).toBe(0o600);
    const { stdout } = await run(
      'agenthost',
      ['send', '--new', '--agent', 'shell', '--approve', 'all', 'echo inside'],
      { env },
    );
    expect(stdout).toContain('inside');
    const ended = once(host, 'exit');
    host.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    await expect(run(node, check, { env })).rejects.toMatchObject({ code: 1 });
  });
});
