import { execFile } from 'node:child_process';
import { mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AhpTestClient } from '../support/ahpClient.js';
import {
  type AhpTestHost,
  ahpSession,
  ahpSubscribe,
  ahpTurn,
  startAhpHost,
  withStubAgents,
} from '../support/ahpHost.js';

// What an AHP client sees of the folder that a session works in: its files, its changes by git, and where it works.

const LINES = `${Array.from({ length: 40 }, (_, n) => `line ${n + 1}`).join('\n')}\n`;
const run = promisify(execFile);

let host: AhpTestHost;
let client: AhpTestClient;
let folder: string;
beforeAll(async () => {
  host = await startAhpHost({}, { ...(await withStubAgents()), snapshots: 'all' });
  client = await host.client('looks into folders');
});
afterAll(() => host.dispose());
beforeEach(async () => {
  folder = join(await realpath(host.stateDir), crypto.randomUUID());
  await mkdir(folder);
});

const git = (...args: string[]) =>
  run('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: folder });

async function repository(): Promise<void> {
  await git('init', '-q', '-b', 'main');
  await writeFile(join(folder, 'a.txt'), LINES);
  await writeFile(join(folder, 'gone.txt'), 'once\n');
  await git('add', '-A');
  await git('commit', '-qm', 'begin');
  await git('branch', 'feature/one');
}

const inFolder = () => ({ workingDirectories: [pathToFileURL(folder).href] });

async function turn(chat: string, text: string, by = client): Promise<void> {
  const started = ahpTurn(text);
  expect(await by.act(chat, started)).not.toHaveProperty('rejectionReason');
  await by.action('chat/turnComplete', ({ action }) => action.turnId === started.turnId);
}

const readText = async (uri: string) => (await client.request('resourceRead', { uri })).data;

interface Side {
  readonly uri: string;
  readonly content: { readonly uri: string };
}
interface File {
  readonly id: string;
  readonly reviewed?: boolean;
  readonly edit: { readonly before?: Side; readonly after?: Side; readonly diff: { added: number; removed: number } };
}

async function changes(session: string, by = client): Promise<readonly File[]> {
  return (await by.request('subscribe', { channel: `${session}/changeset/session` })).snapshot.state.files;
}

describe('the changes of a session in a folder', () => {
  const names = (files: readonly File[]) => files.map(({ id }) => id.slice(id.lastIndexOf('/') + 1));

  it.each(['with git', 'without git'])('%s come from snapshots, with whole files before and after', async (kind) => {
    if (kind === 'with git') await repository();
    else
      await Promise.all(
        [['a.txt', LINES] as const, ['gone.txt', 'once\n'] as const].map(([n, t]) => writeFile(join(folder, n), t)),
      );
    const { session, chat } = await ahpSession(client, 'plain', inFolder());
    // The agent tells a fragment; git knows the file.
    const edit = { path: 'a.txt', told: [], when: 'announced', content: LINES.replace('line 20\n', 'line twenty\n') };
    await turn(chat, `edit ${JSON.stringify(edit)}`);
    await writeFile(join(folder, 'new.bin'), Buffer.from([0, 255, 1]));
    await run('rm', [join(folder, 'gone.txt')]);
    await symlink('/etc/passwd', join(folder, 'link'));
    const files = await changes(session);
    expect(names(files)).toEqual(['a.txt', 'gone.txt', 'new.bin']);
    const [a, gone, added] = files;
    expect(a?.edit.diff).toEqual({ added: 1, removed: 1 });
    expect(await readText(a?.edit.before?.content.uri ?? '')).toBe(LINES);
    expect(await readText(a?.edit.after?.content.uri ?? '')).toBe(await readFile(join(folder, 'a.txt'), 'utf8'));
    expect(gone?.edit).not.toHaveProperty('after');
    expect(await readText(gone?.edit.before?.content.uri ?? '')).toBe('once\n');
    expect(added?.edit).not.toHaveProperty('before');
    const bytes = await client.request('resourceRead', { uri: added?.edit.after?.content.uri });
    expect(bytes).toEqual({ data: Buffer.from([0, 255, 1]).toString('base64'), encoding: 'base64' });
  });

  it('follow the files, and an old address of a changed file has no content', async () => {
    await repository();
    const { session, chat } = await ahpSession(client, 'mock', inFolder());
    await turn(chat, 'hello');
    expect(await changes(session)).toEqual([]);
    await writeFile(join(folder, 'a.txt'), 'one\n');
    const first = (await client.action('changeset/fileSet')).action.file as File;
    await writeFile(join(folder, 'a.txt'), 'two\n');
    const second = (await client.action('changeset/fileSet')).action.file as File;
    expect(await readText(second.edit.after?.content.uri ?? '')).toBe('two\n');
    expect(second.edit.before).toEqual(first.edit.before);
    const stale = await client.refusal('resourceRead', { uri: first.edit.after?.content.uri });
    expect(stale).toMatchObject({ code: -32008 });
    await writeFile(join(folder, 'a.txt'), LINES);
    await client.action('changeset/fileRemoved');
  });

  it('have no contents that a filter of git has made, and none of other folders', async () => {
    await repository();
    await writeFile(join(folder, '.gitattributes'), '*.big filter=lfs\n');
    const { session, chat } = await ahpSession(client, 'mock', inFolder());
    await turn(chat, 'hello');
    await writeFile(join(folder, 'a.big'), 'large');
    const [big] = await changes(session);
    expect(await client.refusal('resourceRead', { uri: big?.edit.after?.content.uri })).toMatchObject({ code: -32009 });
    const other = await ahpSession(client, 'mock', { workingDirectories: [pathToFileURL(host.stateDir).href] });
    const uri = (big?.edit.after?.content.uri ?? '').replaceAll(session, other.session);
    const moved = `agenthost-version:${other.session}?side=new&revision=${'a'.repeat(40)}&path=a.big`;
    for (const address of [moved, `${uri}x`]) {
      expect(await client.refusal('resourceRead', { uri: address })).toHaveProperty('code');
    }
  });

  it('can be marked as reviewed by all, until the file changes again', async () => {
    await repository();
    const other = await host.client('reviews too');
    const { session, chat, snapshots } = await ahpSession(client, 'mock', inFolder());
    expect(snapshots.session.state.changesets[0]).toMatchObject({
      changeKind: 'session',
      capabilities: { review: {} },
    });
    await turn(chat, 'hello');
    await Promise.all(['a.txt', 'b.txt'].map((name) => writeFile(join(folder, name), 'one\n')));
    const [a, b] = await changes(session);
    await changes(session, other);
    const channel = `${session}/changeset/session`;
    const mark = { type: 'changeset/filesReviewChanged', files: [a?.id, b?.id, 'file:///nowhere'], reviewed: true };
    expect(await client.act(channel, mark)).not.toHaveProperty('rejectionReason');
    await other.action('changeset/filesReviewChanged');
    const third = await host.client('reviews later');
    expect((await changes(session, third)).map(({ reviewed }) => reviewed)).toEqual([true, true]);
    await writeFile(join(folder, 'a.txt'), 'two\n');
    const changed = await third.action('changeset/fileSet');
    expect(changed.action.file).not.toHaveProperty('reviewed');
    expect((await changes(session)).map(({ reviewed }) => reviewed ?? false)).toEqual([false, true]);
    for (const odd of [{ ...mark, files: 'a' }, { ...mark, reviewed: 'yes' }, { type: 'changeset/cleared' }]) {
      expect(await client.act(channel, odd)).toHaveProperty('rejectionReason');
    }
    const viewer = await host.open('viewer');
    await viewer.initialize('only looks', ['0.9.0']);
    const [seen] = await changes(session, viewer);
    expect(await viewer.act(channel, mark)).toHaveProperty('rejectionReason');
    expect((await viewer.request('resourceRead', { uri: seen?.edit.before?.content.uri })).data).toBe(LINES);
  });
});

describe('files of the folder', () => {
  it('are read by drivers who have the session open, and only those of the folder', async () => {
    const outside = join(host.stateDir, 'outside.txt');
    await writeFile(outside, 'secret');
    await writeFile(join(folder, 'naïve #1.txt'), 'inside');
    await writeFile(join(folder, 'large.txt'), 'x'.repeat(700_000));
    await writeFile(join(folder, 'huge.txt'), 'x'.repeat(3_000_000));
    await symlink(outside, join(folder, 'out'));
    const reader = await host.client('reads files');
    const at = (name: string) => pathToFileURL(join(folder, name)).href;
    expect(await reader.refusal('resourceRead', { uri: at('naïve #1.txt') })).toMatchObject({ code: -32009 });
    const { session } = await ahpSession(reader, 'mock', inFolder());
    expect(await reader.request('resourceRead', { uri: at('naïve #1.txt') })).toEqual({
      data: 'inside',
      encoding: 'utf-8',
    });
    expect((await reader.request('resourceRead', { uri: at('large.txt') })).data).toHaveLength(700_000);
    const uris = [
      at('huge.txt'),
      at('out'),
      pathToFileURL(outside).href,
      `${at('x')}/..%2f..%2foutside.txt`,
      `${at('')}`,
      'file:///etc/passwd',
      `file://elsewhere${folder}/large.txt`,
    ];
    for (const uri of uris) {
      expect(await reader.refusal('resourceRead', { uri }), uri).toMatchObject({ code: expect.any(Number) });
    }
    const viewer = await host.open('viewer');
    await viewer.initialize('looks at files', ['0.9.0']);
    await ahpSubscribe(viewer, session).catch(() => undefined);
    expect(await viewer.refusal('resourceRead', { uri: at('naïve #1.txt') })).toMatchObject({ code: -32009 });
  });

  it('are completed after an @, with their addresses', async () => {
    await mkdir(join(folder, 'src'));
    await writeFile(join(folder, 'src', 'näme.ts'), '');
    const { session, chat } = await ahpSession(client, 'mock', inFolder());
    for (const channel of [session, chat]) {
      const text = 'look at @nä please';
      const { items } = await client.request('completions', { kind: 'userMessage', channel, text, offset: 11 });
      const uri = pathToFileURL(join(folder, 'src', 'näme.ts')).href;
      const attachment = { type: 'resource', label: 'näme.ts', displayKind: 'document', uri };
      expect(items).toEqual([{ insertText: '@src/näme.ts ', rangeStart: 8, rangeEnd: 11, attachment }]);
    }
    for (const text of ['a@b', '@', '/', 'x /y']) {
      const { items } = await client.request('completions', {
        kind: 'userMessage',
        channel: session,
        text,
        offset: text.length,
      });
      expect(items.length, text).toBe(text === '@' ? 2 : 0);
    }
    for (const odd of [
      { channel: 'ahp-root://', text: '' },
      { channel: session },
      { channel: session, text: '@', offset: -1 },
    ]) {
      expect(await client.refusal('completions', odd)).toMatchObject({ code: -32602 });
    }
  });
});

it('the commands of the agent are completed after a / at the start, and are sent as text', async () => {
  const { session, chat } = await ahpSession(client);
  await turn(chat, 'commands');
  const ask = async (text: string) =>
    (await client.request('completions', { kind: 'userMessage', channel: session, text, offset: text.length })).items;
  const all = await ask('/');
  expect(all.length).toBeGreaterThan(1);
  const [first] = all;
  const name = first.attachment._meta.command;
  expect(first).toMatchObject({
    insertText: `/${name} `,
    rangeStart: 0,
    rangeEnd: 1,
    attachment: { type: 'simple', label: `/${name}` },
  });
  expect((await ask(`/${name}`))[0]).toMatchObject({ insertText: `/${name} ` });
  expect(await ask('/no-such-command')).toEqual([]);
  const started = ahpTurn(`/${name} now`);
  const message = { ...started.message, attachments: [first.attachment] };
  await client.act(chat, { ...started, message });
  await client.action('chat/turnComplete', ({ action }) => action.turnId === started.turnId);
  const ours = await (await host.connect()).openSession(session);
  expect(ours.confirmed.value.turns.at(-1)?.userMessage).toEqual({ text: `/${name} now` });
});

describe('what is chosen before a session is created', () => {
  const resolve = (params: object) => client.request('resolveSessionConfig', { channel: 'ahp-root://', ...params });

  it('has the modes of the agent under the name that VS Code has a picker for, once a session has said them', async () => {
    const asking = await host.client('asks for modes');
    const ask = (config: object) => asking.request('resolveSessionConfig', { provider: 'moded', config });
    const { chat, snapshots } = await ahpSession(asking, 'moded');
    const { schema, values } = snapshots.session.state.config;
    expect(schema.properties.permissionMode).toMatchObject({ enum: ['ask', 'free'], sessionMutable: true });
    expect(values).toMatchObject({ permissionMode: 'ask' });
    const offered = await ask({ permissionMode: 'free', autoApprove: 'default', mode: 'interactive' });
    expect(offered.schema.properties).toEqual(schema.properties);
    expect(offered.values).toEqual({ permissionMode: 'free' });
    // Other clients see the session from its first message on.
    await turn(chat, 'hello', asking);
    const later = await host.client('asks for modes later');
    const again = await later.request('resolveSessionConfig', { provider: 'moded' });
    expect(again.schema.properties).toEqual(schema.properties);
    expect(again.values).toEqual({});
  });

  it('is chosen when the first message is sent', async () => {
    await ahpSession(client, 'moded');
    const config = { permissionMode: 'free', isolation: 'folder', autoApprove: 'default', unknown: 1 };
    const { session, chat } = await ahpSession(client, 'moded', { config });
    await turn(chat, 'model');
    const { snapshots } = await ahpSubscribe(client, session);
    expect(snapshots.session.state.config.values).toMatchObject({ permissionMode: 'free' });
    expect(JSON.stringify(snapshots.chat.state.turns)).toContain('free');
    const echo = await client.act(session, { type: 'session/configChanged', config: { permissionMode: 'ask' } });
    expect(echo).toMatchObject({ action: { config: { permissionMode: 'ask' } } });
  });

  it('has a worktree and its base branch where the folder is in a git repository', async () => {
    const workingDirectory = pathToFileURL(folder).href;
    expect((await resolve({ provider: 'mock', workingDirectory })).schema.properties).toEqual({});
    await repository();
    const plain = await resolve({ provider: 'mock', workingDirectory });
    expect(plain.values).toEqual({ 'agenthost.isolation': 'folder' });
    expect(Object.keys(plain.schema.properties)).toEqual(['agenthost.isolation']);
    const config = { 'agenthost.isolation': 'worktree' };
    const isolated = await resolve({ provider: 'mock', workingDirectory, config });
    expect(isolated.values).toEqual({ ...config, 'agenthost.branch': 'main' });
    const branches = (query?: string) =>
      client.request('sessionConfigCompletions', { workingDirectory, property: 'agenthost.branch', query, config });
    expect((await branches()).items.map(({ value }: { value: string }) => value)).toEqual(['feature/one', 'main']);
    expect((await branches('ONE')).items).toEqual([{ value: 'feature/one', label: 'feature/one' }]);
    const chosen = { ...config, 'agenthost.branch': 'feature/one' };
    const { session, snapshots } = await ahpSession(client, 'mock', { ...inFolder(), config: chosen });
    const { state } = snapshots.session;
    expect(state.workingDirectories[0]).not.toBe(workingDirectory);
    expect(state._meta).toMatchObject({ isolation: 'worktree', baseBranchName: 'feature/one' });
    expect(state.config.values).toMatchObject(chosen);
    const late = await client.act(session, {
      type: 'session/configChanged',
      config: { 'agenthost.isolation': 'folder' },
    });
    expect(late.rejectionReason).toContain('before it is created');
    const wellKnown = await ahpSession(client, 'mock', {
      ...inFolder(),
      config: { isolation: 'worktree', branch: 'main' },
    });
    expect(wellKnown.snapshots.session.state._meta).toMatchObject({ isolation: 'worktree', baseBranchName: 'main' });
  });
});
