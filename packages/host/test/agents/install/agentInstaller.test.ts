import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { NpmRegistry } from '../../../../../test/support/agents/npmRegistry.js';
import { resolveAgentInstall } from '../../../src/agents/install/agentInstall.js';
import { AgentInstaller, type InstallProgress } from '../../../src/agents/install/agentInstaller.js';
import { HostLock } from '../../../src/storage/stateRoot/hostLock.js';
import { temporaryFolder } from '../support/sessions.js';

const TINY = { name: '@tiny/agent', version: '1.2.3' };
let registry: NpmRegistry;
let stateDir: string;
let folder: string;

async function installer(env: Record<string, string> = {}, locksFolder?: string): Promise<AgentInstaller> {
  const home = await temporaryFolder();
  return new AgentInstaller({
    stateDir,
    ...(locksFolder !== undefined && { locksFolder }),
    env: { PATH: process.env['PATH'], HOME: home, npm_config_registry: registry.url, ...env },
  });
}

beforeEach(async () => {
  stateDir = await temporaryFolder();
  folder = join(stateDir, 'agents');
  registry = await NpmRegistry.start(
    {
      ...TINY,
      bin: { tiny: 'tiny.js' },
      files: { 'tiny.js': 'console.log("tiny");\n' },
      dependencies: { 'tiny-part': '1.0.0' },
    },
    {
      name: 'tiny-part',
      version: '1.0.0',
      files: { 'index.js': '', 'setUp.js': `require('node:fs').writeFileSync('set-up', '');\n` },
      scripts: { postinstall: 'node setUp.js' },
    },
  );
  onTestFinished(() => registry.dispose());
});

describe('AgentInstaller', () => {
  it('installs the pinned version with its dependencies, reports its progress, and leaves nothing else', async () => {
    const progress: InstallProgress[] = [];
    await (await installer()).install('tiny', TINY, { onProgress: (step) => progress.push(step) });
    expect(await resolveAgentInstall(folder, 'tiny', TINY.name)).toEqual({
      path: join(folder, 'tiny/node_modules/@tiny/agent'),
      version: '1.2.3',
    });
    expect(await readdir(folder)).toEqual(['tiny']);
    expect(await readdir(join(folder, 'tiny/node_modules'))).toEqual(expect.arrayContaining(['@tiny', 'tiny-part']));
    expect(progress[0]).toEqual({ message: 'Fetching @tiny/agent@1.2.3', done: 0 });
    expect(progress.at(-1)).toEqual({ message: 'Installed @tiny/agent@1.2.3' });
    expect(JSON.stringify(progress)).not.toContain('127.0.0.1');
  });

  it('replaces an older version as a whole, also after an interrupted attempt', async () => {
    await mkdir(join(folder, 'tiny/node_modules/@tiny/agent'), { recursive: true });
    await writeFile(join(folder, 'tiny/node_modules/@tiny/agent/package.json'), '{"version":"1.0.0"}');
    await writeFile(join(folder, 'tiny/old'), '');
    await mkdir(join(folder, '.tiny.new/node_modules/tiny-part'), { recursive: true });
    // It looks whole, and isn't.
    const half = JSON.stringify({ name: 'tiny-part', version: '1.0.0' });
    await writeFile(join(folder, '.tiny.new/node_modules/tiny-part/package.json'), half);
    await (await installer()).install('tiny', TINY);
    expect(await resolveAgentInstall(folder, 'tiny', TINY.name)).toMatchObject({ version: '1.2.3' });
    expect(await readdir(folder)).toEqual(['tiny']);
    expect(await readdir(join(folder, 'tiny'))).not.toContain('old');
    expect(await readdir(join(folder, 'tiny/node_modules/tiny-part'))).toContain('index.js');
  });

  it('continues with fetched packages after an interruption', async () => {
    const stop = new AbortController();
    registry.onTarball = (name) => {
      if (name !== 'tiny-part') return;
      registry.onTarball = () => {};
      stop.abort(new Error('enough'));
      return new Promise(() => {});
    };
    const tiny = await installer();
    // The other tarball is in the cache before this one is asked for, or at the latest soon after.
    await expect(tiny.install('tiny', TINY, { signal: stop.signal })).rejects.toThrow('enough');
    expect(await resolveAgentInstall(folder, 'tiny', TINY.name)).toBeUndefined();
    expect(await readdir(folder)).toEqual(['.tiny.cache']);
    await tiny.install('tiny', TINY);
    expect(await readdir(folder)).toEqual(['tiny']);
  });

  it('reports the error of npm, and keeps the existing version', async () => {
    const tiny = await installer();
    await tiny.install('tiny', TINY);
    await expect(tiny.install('tiny', { name: 'not-there', version: '1.0.0' })).rejects.toThrow(
      /not-there[\s\S]*try again/,
    );
    expect(await resolveAgentInstall(folder, 'tiny', TINY.name)).toMatchObject({ version: '1.2.3' });
    await expect((await installer({ PATH: '/nonexistent' })).install('tiny', TINY)).rejects.toThrow(
      'npm was not found',
    );
  });

  it('does not collide with another installation', async () => {
    await mkdir(folder);
    const lock = await HostLock.take(join(folder, '.tiny.lock'));
    await expect((await installer()).install('tiny', TINY)).rejects.toThrow('being installed or removed already');
    await expect((await installer()).remove('tiny')).rejects.toThrow('being installed or removed already');
    await lock.release();
    await (await installer()).install('tiny', TINY);
  });

  it('runs install scripts only of packages that the agent names', async () => {
    const part = () => readdir(join(folder, 'tiny/node_modules/tiny-part'));
    await (await installer()).install('tiny', TINY);
    expect(await part()).not.toContain('set-up');
    await (await installer()).install('tiny', { ...TINY, scripts: ['tiny-part'] });
    expect(await part()).toContain('set-up');
  });

  it("installs exactly what the agent's lock file says", async () => {
    const locks = await temporaryFolder();
    await (await installer()).install('tiny', TINY);
    const lock = JSON.parse(await readFile(join(folder, 'tiny/package-lock.json'), 'utf8'));
    const part = lock.packages['node_modules/tiny-part'];
    delete part.resolved;
    const write = (change: object) => {
      const packages = { ...lock.packages, 'node_modules/tiny-part': { ...part, ...change } };
      return writeFile(join(locks, 'tiny.json'), JSON.stringify({ ...lock, packages }));
    };
    await write({});
    await (await installer({}, locks)).install('tiny', TINY);
    // Another package under the same name and version, as a registry that was broken into would have it.
    await write({ integrity: `sha512-${Buffer.alloc(64).toString('base64')}` });
    await expect((await installer({}, locks)).install('tiny', TINY)).rejects.toThrow(/integrity/i);
    // The lock file is of that version alone.
    const other = { ...TINY, version: '9.9.9' };
    await expect((await installer({}, locks)).install('tiny', other)).rejects.toThrow(/9\.9\.9/);
  });

  it('removes an agent', async () => {
    const tiny = await installer();
    await tiny.install('tiny', TINY);
    expect([await tiny.remove('tiny'), await tiny.remove('tiny')]).toEqual([true, false]);
    expect(await readdir(folder)).toEqual([]);
  });
});
