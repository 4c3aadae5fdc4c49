import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runGit } from '../../src/work/git.js';
import { TestRepository } from './repository.js';

let repository: TestRepository;

beforeEach(async () => {
  repository = await TestRepository.make();
  await repository.write('file.txt', 'line\n'.repeat(10_000));
  await repository.commit();
});
afterEach(() => repository.remove());

/** A program named git in a PATH of its own. */
async function fakeGit(script: string): Promise<Record<string, string>> {
  const folder = join(repository.root, `bin-${Math.random()}`);
  await mkdir(folder);
  await writeFile(join(folder, 'git'), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, 'git'), 0o755);
  return { ...repository.env, PATH: `${folder}:/usr/bin:/bin` };
}

describe('runGit', () => {
  it('answers with the output and the exit code', async () => {
    const { folder, env } = repository;
    const result = await runGit(folder, ['rev-parse', '--abbrev-ref', 'HEAD'], { env });
    expect(result).toMatchObject({ exitCode: 0, isCut: false });
    expect(result.stdout.toString()).toBe('main\n');
    await expect(runGit(folder, ['rev-parse', '--verify', 'nothing'], { env })).rejects.toMatchObject({
      problem: 'failed',
      exitCode: 128,
    });
    const accepted = await runGit(folder, ['rev-parse', '--verify', '-q', 'nothing'], { env, okCodes: [0, 1] });
    expect(accepted.exitCode).toBe(1);
  });

  it('says that there is no git, that it is too old, that there is no repository', async () => {
    const { folder, root, env } = repository;
    const empty = join(root, 'empty');
    await mkdir(empty);
    await expect(runGit(folder, ['status'], { env: { ...env, PATH: empty } })).rejects.toMatchObject({
      problem: 'noGit',
    });
    await expect(runGit(folder, ['status'], { env: await fakeGit('echo git version 2.30.9') })).rejects.toMatchObject({
      problem: 'tooOld',
    });
    await expect(runGit(empty, ['status'], { env })).rejects.toMatchObject({ problem: 'noRepository' });
    await expect(runGit(join(root, 'gone'), ['status'], { env })).rejects.toMatchObject({ problem: 'noRepository' });
  });

  it('finds no program by a relative entry of PATH', async () => {
    await repository.write('git', '#!/bin/sh\necho git version 9.9\n');
    await chmod(join(repository.folder, 'git'), 0o755);
    const env = { ...repository.env, PATH: ':.' };
    await expect(runGit(repository.folder, ['status'], { env })).rejects.toMatchObject({ problem: 'noGit' });
  });

  it('stops at the limit of the output', async () => {
    const { folder, env } = repository;
    const args = ['show', 'HEAD:file.txt'] as const;
    await expect(runGit(folder, args, { env, maxOutputBytes: 1000 })).rejects.toMatchObject({ problem: 'outputLimit' });
    const cut = await runGit(folder, args, { env, maxOutputBytes: 1000, atLimit: 'cut' });
    expect(cut.isCut).toBe(true);
    expect(cut.stdout.length).toBe(1000);
    const whole = await runGit(folder, args, { env, maxOutputBytes: 50_000, atLimit: 'cut' });
    expect([whole.isCut, whole.stdout.length]).toEqual([false, 50_000]);
    let bytes = 0;
    const piecewise = await runGit(folder, args, {
      env,
      onOutput: (piece) => {
        bytes += piece.length;
      },
    });
    expect([bytes, piecewise.stdout.length]).toEqual([50_000, 0]);
  });

  it('ends git and what git started after the time limit, or when it is aborted', async () => {
    const hanging = await fakeGit('case "$1" in version) echo git version 2.40.0;; *) sleep 60 & wait;; esac');
    await expect(runGit(repository.folder, ['init'], { env: hanging, timeoutMs: 100 })).rejects.toMatchObject({
      problem: 'timeout',
    });
    const abort = new AbortController();
    const aborted = runGit(repository.folder, ['init'], { env: hanging, signal: abort.signal });
    setImmediate(() => abort.abort());
    await expect(aborted).rejects.toMatchObject({ problem: 'aborted' });
    await expect(
      runGit(repository.folder, ['init'], { env: hanging, signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ problem: 'aborted' });
  });

  it('runs a few at once, and refuses more than may wait', async () => {
    const slow = await fakeGit('sleep 0.1');
    const runs = Array.from({ length: 300 }, () => new AbortController());
    const results = runs.map(({ signal }) => runGit(repository.folder, ['init'], { env: slow, signal }));
    const settled = Promise.allSettled(results);
    await expect(results.at(-1)).rejects.toMatchObject({ problem: 'busy' });
    for (const run of runs) run.abort();
    const problems = (await settled).map((one) => (one.status === 'rejected' ? one.reason.problem : 'ran'));
    expect(problems.filter((problem) => problem === 'busy')).toHaveLength(300 - 4 - 256);
    await expect(runGit(repository.folder, ['status'], { env: repository.env })).resolves.toMatchObject({
      exitCode: 0,
    });
  });
});
