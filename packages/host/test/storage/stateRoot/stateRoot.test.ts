import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StateRoot } from '../../../src/storage/stateRoot/stateRoot.js';
import { resolveStateRoot } from '../../../src/storage/stateRoot/stateRootPath.js';
import { startProcess } from '../sourceProcess.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-root-'));
  path = join(folder, 'state');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const modeOf = async (file: string) => ((await stat(file)).mode & 0o7777).toString(8);
const open = (warnings: string[] = []) => StateRoot.open({ path, env: {}, warn: (message) => warnings.push(message) });

describe('the path of the state root', () => {
  it.each([
    [{ path: '/asked', env: { AGENTHOST_HOME: '/env', XDG_STATE_HOME: '/xdg' } }, '/asked'],
    [{ env: { AGENTHOST_HOME: '/env', XDG_STATE_HOME: '/xdg' } }, '/env'],
    [{ env: { XDG_STATE_HOME: '/xdg' } }, '/xdg/agenthost'],
    [{ env: { XDG_STATE_HOME: 'relative' } }, '/home/me/.agenthost'],
    [{ env: { AGENTHOST_HOME: '', XDG_STATE_HOME: '' } }, '/home/me/.agenthost'],
    [{ env: { AGENTHOST_HOME: 'here' } }, resolve('here')],
  ])('%j', (place, expected) => {
    expect(resolveStateRoot({ home: '/home/me', ...place })).toBe(expected);
  });
});

describe('the state root', () => {
  it('is made private, with its version and its lock', async () => {
    path = join(folder, 'a/b');
    const root = await open();
    expect(await readFile(join(path, 'version'), 'utf8')).toBe('1\n');
    expect((await readdir(path)).sort()).toEqual(['host.lock', 'host.lock.kernel', 'session-state', 'version']);
    for (const name of ['', 'session-state']) expect(await modeOf(join(path, name))).toBe('700');
    for (const name of ['version', 'host.lock', 'host.lock.kernel']) expect(await modeOf(join(path, name))).toBe('600');
    await root.dispose();
    expect((await readdir(path)).sort()).toEqual(['host.lock.kernel', 'session-state', 'version']);
    await (await open()).dispose();
  });

  it('is used by one host at a time', async () => {
    const root = await open();
    await root.lock.update({ url: 'http://127.0.0.1:1' });
    await expect(open()).rejects.toMatchObject({
      code: 'LOCKED',
      message: expect.stringMatching(
        new RegExp(
          `^The state folder ${path} can't be used: another host runs here: process ${process.pid}, since .*, at http://127.0.0.1:1\\. Choose`,
        ),
      ),
    });
    await root.dispose();
  });

  it('is refused to another process, and free when that one was killed', async () => {
    const host = startProcess(new URL('../hostProcess.ts', import.meta.url), [path, 'http://127.0.0.1:2']);
    const { pid, outcome } = JSON.parse(await host.nextLine());
    expect(outcome).toBe('open');
    await expect(open()).rejects.toMatchObject({
      code: 'LOCKED',
      message: expect.stringContaining(`process ${pid}, since`),
    });
    await host.end('SIGKILL');
    const root = await open();
    const second = startProcess(new URL('../hostProcess.ts', import.meta.url), [path, '']);
    expect(JSON.parse(await second.nextLine())).toMatchObject({
      outcome: 'LOCKED',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    await root.dispose();
    const third = startProcess(new URL('../hostProcess.ts', import.meta.url), [path, '']);
    expect(JSON.parse(await third.nextLine())).toMatchObject({ outcome: 'open' });
    await third.end();
    expect(await readdir(path)).not.toContain('host.lock');
  });

  it('of a newer version is refused with an explanation, and left unchanged', async () => {
    await mkdir(path, { mode: 0o700 });
    await writeFile(join(path, 'version'), '2\n');
    await expect(open()).rejects.toMatchObject({
      code: 'NEWER_VERSION',
      message: expect.stringContaining('it was written by a newer agenthost (version 2; this one knows 1)'),
    });
    expect(await readdir(path)).toEqual(['version']);
    await writeFile(join(path, 'version'), 'rubbish');
    await expect(open()).rejects.toMatchObject({ code: 'BAD_VERSION' });
  });

  it('that is too open is closed, with a warning, if it is ours', async () => {
    await (await open()).dispose();
    await chmod(path, 0o755);
    const warnings: string[] = [];
    await (await open(warnings)).dispose();
    expect(await modeOf(path)).toBe('700');
    expect(warnings).toEqual([`${path} was open to other users (mode 755); it is closed to them now (700)`]);
  });

  it('in a foreign folder is not closed: it is refused if others can write there', async () => {
    await mkdir(path);
    await writeFile(join(path, 'mine.txt'), '');
    await chmod(path, 0o755);
    const warnings: string[] = [];
    await (await open(warnings)).dispose();
    expect([await modeOf(path), warnings.length]).toEqual(['755', 1]);
    await rm(join(path, 'version'));
    await chmod(path, 0o1777);
    await expect(open()).rejects.toMatchObject({ code: 'TOO_OPEN' });
    expect(await modeOf(path)).toBe('1777');
  });

  it.each([
    ['below a file', 'file/state', /a part of its path is a file/],
    ['at a file', 'file', /there is a file of that name/],
    ['where nobody may write', '/proc/agenthost-test', /./],
  ])('%s is reported in one line, with what to do', async (_, place, reason) => {
    await writeFile(join(folder, 'file'), '');
    path = resolve(folder, place);
    const error = await open().catch((caught: unknown) => caught as Error & { code: string });
    expect(error).toMatchObject({ name: 'StateRootFailure', code: expect.stringMatching(/^E[A-Z]+$/) });
    const { message } = error as Error;
    expect(message).toMatch(reason);
    expect(message).toMatch(
      /^The state folder \S+ can't be used: [^\n]*\. Choose another with --state-dir or \$AGENTHOST_HOME\.$/,
    );
  });

  it('removes drafts of killed processes, and no other file', async () => {
    await (await open()).dispose();
    const old = new Date(Date.now() - 3_600_000);
    const left = join(path, `token.${randomUUID()}.tmp`);
    const young = join(path, `token.${randomUUID()}.tmp`);
    const other = join(path, 'notes.tmp');
    for (const file of [left, young, other]) await writeFile(file, 'x');
    for (const file of [left, other]) await utimes(file, old, old);
    const root = await open();
    const names = await readdir(path);
    expect([left, young, other].map((file) => names.includes(basename(file)))).toEqual([false, true, true]);
    await root.dispose();
  });

  it('lists only the ids of its sessions', async () => {
    const root = await open();
    const sessions = join(path, 'session-state');
    for (const name of ['b', 'a-1', 'A.b_c', '.hidden', 'two words', '-x', 'trailing.'])
      await mkdir(join(sessions, name));
    await writeFile(join(sessions, 'file'), '');
    await symlink('/etc', join(sessions, 'link'));
    const ids: string[] = [];
    for await (const id of root.listSessionIds()) ids.push(id);
    expect(ids.sort()).toEqual(['A.b_c', 'a-1', 'b']);
    await root.dispose();
  });
});
