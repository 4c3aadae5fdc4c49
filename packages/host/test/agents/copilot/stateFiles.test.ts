import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SessionMemory } from '../../../src/agents/copilot/sessionMemory.js';
import { stateFiles } from '../../../src/agents/copilot/stateFiles.js';
import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';
import { temporaryFolder } from '../support/sessions.js';

describe("Copilot's files", () => {
  it.each(['posix', 'windows'] as const)('keeps its state in the session, with %s conventions', async (conventions) => {
    const root = conventions === 'posix' ? '/state' : 'C:\\state';
    const sessionFs = new MemorySessionFs({ sessionStatePath: root, conventions });
    const { path, provider, folder } = stateFiles(sessionFs, 's1');
    expect(folder).toBe(sessionFs.join(root, 'copilot'));
    await provider.writeFile(join(path, 'deep/er/a.txt'), 'one');
    await provider.appendFile(join(path, 'deep/er/a.txt'), ' two');
    await provider.rename(join(path, 'deep/er/a.txt'), join(path, 'deep/er/b.txt'));
    expect(await sessionFs.readFile(sessionFs.join(root, 'copilot', 'deep', 'er', 'b.txt'))).toBe('one two');
    expect(await provider.readdirWithTypes(join(path, 'deep'))).toEqual([{ name: 'er', type: 'directory' }]);
    expect(await provider.exists(join(path, 'deep/er/a.txt'))).toBe(false);
    await provider.rm(join(path, 'deep'), true, true);
    expect(await sessionFs.exists(sessionFs.join(root, 'copilot', 'deep'))).toBe(false);
  });

  it('reads the project on this machine', async () => {
    const cwd = await temporaryFolder();
    const sessionFs = new MemorySessionFs({ sessionStatePath: '/state' });
    const { path, provider } = stateFiles(sessionFs, 's1');
    await provider.writeFile(join(cwd, 'sub/a.txt'), 'here');
    expect(await readFile(join(cwd, 'sub/a.txt'), 'utf8')).toBe('here');
    expect(await provider.readdirWithTypes(cwd)).toEqual([{ name: 'sub', type: 'directory' }]);
    await expect((async () => provider.rename(join(cwd, 'sub/a.txt'), join(path, 'a.txt')))()).rejects.toThrow('moved');
    await expect(provider.readFile(join(cwd, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('has times in both forms, without which the runtime takes a file for missing', async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, 'a.txt'), '12345');
    const { provider } = stateFiles(new MemorySessionFs({ sessionStatePath: '/state' }), 's1');
    const stat = await provider.stat(join(cwd, 'a.txt'));
    expect(stat).toMatchObject({ isFile: true, isDirectory: false, size: 5 });
    expect([stat.mtimeMs, stat.birthtimeMs]).toEqual([Date.parse(stat.mtime), Date.parse(stat.birthtime)]);
  });

  it('has a place when the session has no folder', () => {
    const sessionFs = new MemorySessionFs({ sessionStatePath: null });
    expect(stateFiles(sessionFs, 's1').folder).toBe(sessionFs.join(sessionFs.tmpdir, 'copilot-s1'));
  });
});

describe('an interrupted turn of Copilot', () => {
  const memory = (sessionFs: MemorySessionFs) => new SessionMemory(sessionFs, '/state');

  it('is described in the next message, once', async () => {
    const sessionFs = new MemorySessionFs({ sessionStatePath: '/state' });
    await sessionFs.mkdir('/state', { recursive: true });
    const before = memory(sessionFs);
    expect(before.begin('delete it')).toBe('delete it');
    before.asksFor('rm -r x');
    await before.stored();
    const after = memory(sessionFs);
    await after.load();
    const next = after.begin('go on');
    expect(next).toMatch(/^\[This session was interrupted.*"delete it".*rm -r x.*ask for it again\.\]\n\ngo on$/);
    after.end();
    expect(after.begin('more')).toBe('more');
  });

  it('is not described when it ended, but the changes of files are', async () => {
    const sessionFs = new MemorySessionFs({ sessionStatePath: '/state' });
    await sessionFs.mkdir('/state', { recursive: true });
    const before = memory(sessionFs);
    before.begin('write');
    before.setChanges([{ uri: 'file:///a', insertions: 1, deletions: 0 }]);
    before.end();
    await before.stored();
    const after = memory(sessionFs);
    await after.load();
    expect([after.begin('next'), after.changes]).toEqual(['next', [{ uri: 'file:///a', insertions: 1, deletions: 0 }]]);
  });

  it('survives an unreadable file, and one that can not be written', async () => {
    const sessionFs = new MemorySessionFs({ sessionStatePath: '/state' });
    await sessionFs.mkdir('/state', { recursive: true });
    await sessionFs.writeFile('/state/agenthost.json', '{"turn":');
    const torn = memory(sessionFs);
    await torn.load();
    expect(torn.begin('hello')).toBe('hello');
    sessionFs.writeFile = async () => {
      throw new Error('disk full');
    };
    torn.asksFor('x');
    await torn.stored();
  });
});
