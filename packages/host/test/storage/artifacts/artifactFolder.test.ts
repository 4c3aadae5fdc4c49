import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ArtifactFolder, MAX_ARTIFACT_BYTES } from '../../../src/storage/artifacts/artifactFolder.js';
import { LocalSessionFs } from '../../../src/storage/fs/localSessionFs.js';
import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';

describe.each(['posix', 'windows'] as const)('a folder of artifacts, by %s conventions', (conventions) => {
  const fs = new MemorySessionFs({ conventions });
  const folder = new ArtifactFolder(fs, 'files');
  const read = async (name: string) => fs.readFile(await folder.locate(name));

  it('is empty before anything was written', async () => {
    expect(await folder.list()).toEqual({ names: [], isComplete: true });
    expect(await folder.remove('nothing')).toBe(false);
  });

  it('keeps files under their names, also in folders', async () => {
    await folder.write('b/deep/c.txt', 'one');
    await folder.write('b/deep/c.txt', 'two');
    await folder.write('a.bin', Uint8Array.of(0, 255));
    expect(await folder.list()).toEqual({ names: ['a.bin', 'b/deep/c.txt'], isComplete: true });
    expect(await read('b/deep/c.txt')).toBe('two');
    expect(await fs.readFileBytes(await folder.locate('a.bin'))).toEqual(Uint8Array.of(0, 255));
    expect(await folder.remove('a.bin')).toBe(true);
    expect((await folder.list()).names).toEqual(['b/deep/c.txt']);
  });

  it('does not overwrite a file that has the name of a half written one', async () => {
    for (const name of ['x.tmp', 'artifact.tmp']) await folder.write(name, 'mine');
    await folder.write('x', 'other');
    expect([await read('x.tmp'), await read('artifact.tmp'), await read('x')]).toEqual(['mine', 'mine', 'other']);
  });

  it('refuses a file that is too large, and keeps the old one', async () => {
    await folder.write('large', 'before');
    const large = folder.write('large', new Uint8Array(MAX_ARTIFACT_BYTES + 1));
    await expect(large).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(await read('large')).toBe('before');
  });

  it('[ART1] refuses names that lead elsewhere, in every method', async () => {
    for (const name of ['../workspace.yaml', '/etc/passwd', 'C:\\x', 'a/../../b']) {
      await expect(folder.write(name, 'x')).rejects.toMatchObject({ code: 'INVALID_NAME' });
      await expect(folder.locate(name)).rejects.toMatchObject({ code: 'INVALID_NAME' });
      await expect(folder.remove(name)).rejects.toMatchObject({ code: 'INVALID_NAME' });
    }
  });

  it('lists no more than its limit', async () => {
    const many = new ArtifactFolder(fs, 'many');
    for (let n = 0; n < 12; n++) await many.write(`${n % 3}/${n}`, '');
    const listed = await many.list(10);
    expect([listed.isComplete, listed.names.length < 10]).toEqual([false, true]);
    expect((await many.list(15)).isComplete).toBe(true);
  });

  it('[ART1] leaves out invalid names of a provider', async () => {
    const lying = new MemorySessionFs({ conventions });
    lying.readdirWithTypes = async () =>
      ['..', '../../token', 'a/b', 'fine', 'a\\b', '', 'C:'].map((name) => ({ name, type: 'file' as const }));
    expect((await new ArtifactFolder(lying, 'files').list()).names).toEqual(['fine']);
  });

  it('[ART1] never touches anything outside', async () => {
    const touched: string[] = [];
    const root = fs.join(fs.sessionStatePath ?? '', 'files');
    const watched = new MemorySessionFs({ conventions });
    const { rename } = watched;
    watched.rename = (source, target) => {
      touched.push(target);
      return rename.call(watched, source, target);
    };
    const files = new ArtifactFolder(watched, 'files');
    const segment = fc.constantFrom('..', '.', 'a', 'b', '', 'C:', '\\', 'nul', '...', '.. ');
    const name = fc.array(segment, { minLength: 1, maxLength: 6 }).map((segments) => segments.join('/'));
    await fc.assert(
      fc.asyncProperty(name, async (wanted) => {
        await files.write(wanted, 'x').catch(() => undefined);
        const sep = conventions === 'windows' ? '\\' : '/';
        for (const path of touched.splice(0)) expect(path.startsWith(root + sep)).toBe(true);
      }),
    );
    expect((await files.list()).names.length).toBeGreaterThan(0);
  });
});

describe('a folder of artifacts on the local disk', () => {
  let root: string;
  let fs: LocalSessionFs;
  let folder: ArtifactFolder;
  const inSession = (...parts: string[]) => join(fs.sessionStatePath, ...parts);

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'agenthost-artifacts-'));
    fs = await LocalSessionFs.open({ stateRoot: root, sessionId: 's1' });
    folder = new ArtifactFolder(fs, 'files');
    await writeFile(join(root, 'secret'), 'secret');
    await mkdir(join(root, 'elsewhere'));
    await writeFile(inSession('events.jsonl'), 'the log');
    await folder.write('real/a.txt', 'a');
  });
  afterEach(async () => {
    await fs.dispose();
    await rm(root, { recursive: true, force: true });
  });

  it('[ART1] refuses links that lead out of the session', async () => {
    await symlink(join(root, 'secret'), inSession('files/link'));
    await symlink(join(root, 'elsewhere'), inSession('files/folder'));
    await symlink(join(root, 'missing'), inSession('files/dangling'));
    for (const name of ['link', 'folder/new.txt', 'dangling']) {
      await expect(folder.locate(name)).rejects.toThrow('leads outside');
      await expect(folder.write(name, 'x')).rejects.toThrow('leads outside');
    }
    expect(await readFile(join(root, 'secret'), 'utf8')).toBe('secret');
    expect((await folder.list()).names).toEqual(['real/a.txt']);
  });

  it('[ART1] refuses links to other files of the session, such as its log', async () => {
    await symlink('../events.jsonl', inSession('files/log'));
    await symlink('..', inSession('files/up'));
    for (const name of ['log', 'up/events.jsonl']) {
      await expect(folder.locate(name)).rejects.toMatchObject({ code: 'OUTSIDE' });
      await expect(folder.write(name, 'x')).rejects.toMatchObject({ code: 'OUTSIDE' });
      await expect(folder.remove(name)).rejects.toMatchObject({ code: 'OUTSIDE' });
    }
    expect(await readFile(inSession('events.jsonl'), 'utf8')).toBe('the log');
  });

  it('follows links that stay inside, and not in circles', async () => {
    await symlink('real/a.txt', inSession('files/alias'));
    await symlink('.', inSession('files/circle'));
    expect(await fs.readFile(await folder.locate('alias'))).toBe('a');
    expect(await folder.list()).toEqual({ names: ['alias', 'real/a.txt'], isComplete: true });
  });
});
