import { mkdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { WorkTree } from '../../src/work/workTree.js';
import { TestRepository } from './repository.js';

it('sees a file that was written twice in one second with the same size, as git does', async () => {
  const repository = await TestRepository.make();
  try {
    const { folder, root, env } = repository;
    // Git would see the change by the time of the inode, unless the second is the same there, too.
    await repository.git('config', 'core.trustctime', 'false');
    const [file, index] = [join(folder, 'a.txt'), join(folder, '.git/index')];
    const second = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 10_000);
    await repository.write('a.txt', 'one\n');
    await utimes(file, second, second);
    await repository.commit();
    await repository.git('update-index', '--refresh');
    await utimes(index, second, second);
    await repository.write('a.txt', 'two\n');
    await utimes(file, second, second);
    const dir = join(root, 'state');
    await mkdir(dir);
    const { id } = await new WorkTree({ folder, dir, env }).current();
    expect(await repository.git('show', `${id}:a.txt`)).toBe('two\n');
  } finally {
    await repository.remove();
  }
});
