import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import {
  readWorkspaceYaml,
  type WorkspaceInfo,
  writeWorkspaceYaml,
} from '../../../src/storage/artifacts/workspaceYaml.js';
import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';
import { FaultySessionFs } from '../faultySessionFs.js';

const INFO: WorkspaceInfo = {
  id: 's1',
  name: 'yes: "a name" # with\neverything, 漢字',
  cwd: '/work/my project',
  gitRoot: '/work',
  repository: 'owner/name',
  branch: '0123',
  nativeSessionId: 'null',
  createdAt: 1_700_000_000_123,
  updatedAt: 1_700_000_001_000,
  metadata: { group: 'g', nested: { list: [1, 'two', null] } },
};
const path = '/session-state/memory/workspace.yaml';

describe('workspace.yaml', () => {
  it('returns what was written, and is readable', async () => {
    const fs = new MemorySessionFs();
    await writeWorkspaceYaml(fs, INFO);
    expect(await readWorkspaceYaml(fs)).toEqual(INFO);
    expect(await fs.readFile(path)).toContain('createdAt: "2023-11-14T22:13:20.123Z"\n');
    expect(await fs.readdir('/session-state/memory')).toEqual(['workspace.yaml']);
  });

  it('needs only the fields that are always known', async () => {
    const fs = new MemorySessionFs();
    const { id, name, cwd, createdAt, updatedAt } = INFO;
    await writeWorkspaceYaml(fs, INFO);
    await writeWorkspaceYaml(fs, { id, name, cwd, createdAt, updatedAt });
    expect(await readWorkspaceYaml(fs)).toEqual({ id, name, cwd, createdAt, updatedAt });
  });

  it('keeps unknown keys', async () => {
    const fs = new MemorySessionFs();
    await fs.writeFile(path, 'id: a\nname: b\ncwd: /c\ncreatedAt: 5\nfuture:\n  x: [1, 2]\nbranch: [not, a, text]\n');
    expect(await readWorkspaceYaml(fs)).toEqual({ id: 'a', name: 'b', cwd: '/c', createdAt: 5, updatedAt: 5 });
    await writeWorkspaceYaml(fs, INFO);
    expect(await readWorkspaceYaml(fs)).toEqual(INFO);
    expect(await fs.readFile(path)).toContain('future: {"x":[1,2]}\n');
  });

  it('is reported when it is missing', async () => {
    expect(await readWorkspaceYaml(new MemorySessionFs())).toBeUndefined();
  });

  it.each([
    '',
    '\0\0\0',
    'id: [',
    'just a text',
    '- a\n- list',
    'id: a',
    'id: 5\nname: b\ncwd: c\ncreatedAt: 1',
    'id: a\nname: b\ncwd: c\ncreatedAt: never',
    '*x',
  ])('with the content %j is damaged, and can be written again', async (content) => {
    const fs = new MemorySessionFs();
    await fs.writeFile(path, content);
    await expect(readWorkspaceYaml(fs)).rejects.toMatchObject({
      code: 'DAMAGED',
      message: expect.stringMatching(/^\/session-state\/memory\/workspace\.yaml is damaged: [^\n]+$/),
    });
    await writeWorkspaceYaml(fs, INFO);
    expect(await readWorkspaceYaml(fs)).toEqual(INFO);
  });

  it.each([
    ['explicit keys', '? '.repeat(500)],
    ['explicit keys in lines', Array.from({ length: 200 }, (_, n) => `${' '.repeat(n)}? a`).join('\n')],
    ['lists in lists', '- '.repeat(4_000)],
    ['brackets', '[\n'.repeat(4_000)],
    ['many keys', Array.from({ length: 100_000 }, (_, n) => `k${n}: v`).join('\n')],
  ])('with %s is damaged, and does not reach the parser', async (_, content) => {
    const fs = new MemorySessionFs();
    await fs.writeFile(path, content);
    const message = expect.stringMatching(/is (?:nested too deeply|too large)$/);
    await expect(readWorkspaceYaml(fs)).rejects.toMatchObject({ code: 'DAMAGED', message });
  });

  it('reads files of earlier hosts', async () => {
    const fs = new MemorySessionFs();
    const { createdAt, updatedAt: _, ...info } = INFO;
    const name = 'a title [with] marks, *so long* that it is folded - and {goes} on & on, over more than one line ?';
    const start = { list: [[1, [2]], []], empty: {}, text: 'two\nlines' };
    await fs.writeFile(path, stringify({ ...info, name, createdAt: new Date(createdAt).toISOString(), start }));
    expect(await readWorkspaceYaml(fs)).toEqual({ ...info, name, start, createdAt, updatedAt: createdAt });
  });

  it('changes no prototype', async () => {
    const fs = new MemorySessionFs();
    await fs.writeFile(
      path,
      'id: a\nname: b\ncwd: c\ncreatedAt: 1\n__proto__: { polluted: true }\nmetadata: { __proto__: { polluted: true } }\n',
    );
    await readWorkspaceYaml(fs);
    await writeWorkspaceYaml(fs, INFO);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('exists, old or new, whatever fails while it is written', async () => {
    for (let n = 1; n < 8; n++) {
      for (const written of [0, 0.5, 1]) {
        const memory = new MemorySessionFs();
        await writeWorkspaceYaml(memory, INFO);
        const fs = new FaultySessionFs(memory, (index) => (index === n ? { code: 'ENOSPC', written } : undefined));
        const renamed = { ...INFO, name: 'new' };
        const failed = await writeWorkspaceYaml(fs, renamed).then(
          () => false,
          (error: { code?: string }) => error.code === 'ENOSPC',
        );
        expect(await memory.readdir('/session-state/memory')).toEqual(['workspace.yaml']);
        expect([INFO, renamed]).toContainEqual(await readWorkspaceYaml(memory));
        if (!failed) expect(await readWorkspaceYaml(memory)).toEqual(renamed);
        await writeWorkspaceYaml(memory, renamed);
      }
    }
  });

  it('does not exist without a session folder', async () => {
    const fs = new MemorySessionFs({ sessionStatePath: null });
    await expect(readWorkspaceYaml(fs)).rejects.toMatchObject({ code: 'NO_STATE_PATH' });
    await expect(writeWorkspaceYaml(fs, INFO)).rejects.toMatchObject({ code: 'NO_STATE_PATH' });
  });
});
