import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestRepository } from './repository.js';
import { workOf } from './workOf.js';

const FILES = Array.from({ length: 20 }, (_, index) => `f${index}.txt`);

let repository: TestRepository;
beforeEach(async () => {
  repository = await TestRepository.make();
  for (const file of FILES) await repository.write(file, `committed ${file}\n`);
  await repository.commit();
});
afterEach(() => repository.remove());

const PROGRAM = `
  import { writeFile } from 'node:fs/promises';
  import { join } from 'node:path';
  import { SessionWork, silentLog } from '@agenthost/host/internal';
  const [folder, dir] = process.argv.slice(1);
  const work = new SessionWork({
    uri: 'mock:/s1', sessionId: 's1', folder, dir, mode: 'git', log: silentLog,
    isTrusted: () => true, isTurnRunning: () => false, baseBranch: () => undefined,
    turnNumber: () => undefined, tell: () => true, onChanged: () => {},
  });
  for (let round = 0; ; round++) {
    const id = process.pid + '-' + round;
    await work.beforeTurn(id);
    for (let file = 0; file < 20; file++) await writeFile(join(folder, 'f' + file + '.txt'), (id + ' ' + file + '\\n').repeat(200));
    await work.afterTurn(id);
    process.stdout.write(id + '\\n');
    await work.restore({ toTurnId: id }, { clientId: 'c' });
  }
`;

it('a host that is killed at any time loses no commit and no file: what was there can be restored', async () => {
  const before = await repository.git('rev-parse', 'HEAD');
  const dir = join(repository.root, 'state/work/s1');
  for (let round = 0; round < 6; round++) {
    const child: ChildProcess = spawn(
      process.execPath,
      ['--input-type=module', '-e', PROGRAM, repository.folder, dir],
      {
        cwd: import.meta.dirname,
        env: repository.env,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const exit = once(child, 'exit');
    const [said] = (await Promise.race([once(child.stdout ?? child, 'data'), exit.then(() => ['ended'])])) as [Buffer];
    const [id = ''] = said.toString().split('\n');
    expect(id).toMatch(/^\d+-0$/);
    // At any point of the restoring, or of the turns after it.
    await delay(Math.random() * 60);
    child.kill('SIGKILL');
    await exit;
    const { work, restore } = workOf(repository);
    await restore({ toTurnId: id });
    for (const file of FILES) expect(await readFile(join(repository.folder, file), 'utf8')).toBe(`committed ${file}\n`);
    await work.close();
  }
  expect(await repository.git('rev-parse', 'HEAD')).toBe(before);
  expect(await repository.git('status', '--porcelain')).toBe('');
  expect(await repository.git('fsck', '--no-dangling')).toBe('');
});
