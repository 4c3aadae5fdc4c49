import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_VERSION_BYTES } from '@agenthost/protocol/internal';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TestRepository } from './repository.js';
import { repositoryWithFiles, runTurn, type WorkOf, workOf } from './workOf.js';

let repository: TestRepository;
let session: WorkOf;
beforeEach(async () => {
  repository = await repositoryWithFiles();
  session = workOf(repository);
});
afterEach(async () => {
  await session.work.close();
  await repository.remove();
});

/** The whole contents of a changed file on both sides; the problem where there is none. */
async function sides(path: string) {
  const { from, to } = await session.work.listChanges({ since: 'session' });
  const read = (side: 'old' | 'new') =>
    session.work.fetchVersion({ path, from, to, side }).then(
      ({ data }) => Buffer.from(data, 'base64').toString('latin1'),
      ({ problem }: { problem: string }) => `(${problem})`,
    );
  return [await read('old'), await read('new')];
}

it('[EDIT2] is all of a changed file, as a checkout would write it, or nothing', async () => {
  const long = `${'x'.repeat(10_000)}\ntail without end`;
  await repository.write('lines.txt', 'one\ntwo\n');
  await repository.write('.gitattributes', '*.crlf eol=crlf\n*.big filter=lfs\n');
  await repository.write('a.crlf', 'one\r\n');
  await repository.commit();
  await runTurn(session, 't1', async () => {
    await repository.write('lines.txt', long);
    await repository.write('bytes.bin', Buffer.from([0, 255, 128, 10]));
    await repository.write('a.crlf', 'two\r\n');
    await repository.write('a.big', 'version https://git-lfs.github.com/spec/v1\n');
    await repository.write('huge.txt', 'x'.repeat(MAX_VERSION_BYTES + 1));
    await repository.git('mv', 'old.txt', 'renamed.txt');
    await symlink('lines.txt', join(repository.folder, 'link'));
  });
  expect(await sides('lines.txt')).toEqual(['one\ntwo\n', long]);
  expect(await sides('bytes.bin')).toEqual(['(notFound)', '\u0000\u00ff\u0080\n']);
  expect(await sides('a.crlf')).toEqual(['one\r\n', 'two\r\n']);
  expect((await sides('renamed.txt')).every((content) => !content.startsWith('('))).toBe(true);
  for (const path of ['a.big', 'huge.txt', 'link']) expect((await sides(path))[1], path).toBe('(refused)');
  for (const path of ['.gitattributes', 'nowhere', 'sub/b.txt']) expect((await sides(path))[1]).toBe('(notFound)');
  const { to } = await session.work.listChanges({ since: 'session' });
  const foreign = session.work.fetchVersion({ path: 'lines.txt', from: '0'.repeat(40), to, side: 'old' });
  await expect(foreign).rejects.toMatchObject({ problem: 'notFound' });
  for (const path of ['../x', '/etc/passwd', '.git/config']) expect((await sides(path))[1], path).toBe('(refused)');
});

it('is read in a folder of a checkout, too', async () => {
  await mkdir(join(repository.folder, 'inner'));
  await writeFile(join(repository.folder, 'inner/.gitattributes'), '*.crlf eol=crlf\n');
  await writeFile(join(repository.folder, 'inner/x.crlf'), 'one\r\n');
  await repository.commit();
  session = workOf(repository, { sessionId: 's2', folder: join(repository.folder, 'inner') });
  await runTurn(session, 't1', () => writeFile(join(repository.folder, 'inner/x.crlf'), 'two\r\n'));
  expect(await sides('x.crlf')).toEqual(['one\r\n', 'two\r\n']);
});
