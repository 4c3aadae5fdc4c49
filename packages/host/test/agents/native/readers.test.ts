import { execFileSync } from 'node:child_process';
import { appendFile, chmod, mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { describe, expect, it } from 'vitest';
import { turn as turnSchema } from '../../../../protocol/src/schemas/turnSchemas.js';
import { claudeStore } from '../../../src/agents/native/claudeStore.js';
import { codexStore } from '../../../src/agents/native/codexStore.js';
import { geminiStore } from '../../../src/agents/native/geminiStore.js';
import type { NativeStore } from '../../../src/agents/native/nativeStore.js';
import { nativeStores } from '../../../src/agents/native/nativeStores.js';
import { emptyHome, hashOf, RECORDED, recordedHome } from './nativeHome.js';

const MESSAGES = [
  'say hello',
  'think first',
  'run a command',
  'run a bad one',
  'write a file',
  'say hello again: say hello',
];

const storeOf = (home: string, provider: string): NativeStore => {
  const store = nativeStores({ HOME: home }).find((each) => each.provider === provider);
  if (!store) throw new Error(`no store for ${provider}`);
  return store;
};

async function only(store: NativeStore) {
  const { places, problems } = await store.scan();
  expect(problems).toEqual([]);
  const shown = [];
  for (const place of places) {
    const head = await store.head(place);
    if (!head.isHidden) shown.push({ place, head });
  }
  expect(shown).toHaveLength(1);
  return shown[0] as (typeof shown)[number];
}

describe.each(Object.entries(RECORDED))('the store of %s, as the real agent wrote it', (provider, nativeId) => {
  it('lists the conversation with its folder and a title', async () => {
    const { place, head } = await only(storeOf(await recordedHome(), provider));
    expect(place.nativeId).toBe(nativeId);
    expect(head.folder).toBe('/work/uploader');
    expect(head.title).toBe(provider === 'opencode' ? 'A scripted title' : 'say hello');
  });

  it('shows every turn with its texts, tools and results', async () => {
    const store = storeOf(await recordedHome(), provider);
    const { turns, isCut, isOpen } = await store.turns((await only(store)).place);
    expect({ isCut, isOpen }).toEqual({ isCut: false, isOpen: false });
    for (const turn of turns) turnSchema.parse(turn);
    expect(turns.map(({ userMessage }) => userMessage.text)).toEqual(MESSAGES);
    expect(turns.map(({ state }) => state)).toEqual(MESSAGES.map(() => 'complete'));
    const kinds = turns.map(({ responseParts }) => responseParts.map(({ kind }) => kind));
    expect(kinds.map((each) => each.at(-1))).toEqual(MESSAGES.map(() => 'markdown'));
    expect(kinds[1]).toContain('reasoning');
    expect(turns[0]?.responseParts).toMatchObject([{ kind: 'markdown', content: 'Hello from the model.' }]);
    expect(turns[2]?.toolCalls).toMatchObject([
      {
        displayName: 'Terminal',
        toolKind: 'terminal',
        toolInput: 'mkdir -p made && echo it ran',
        status: 'completed',
        result: { success: true, toolOutput: expect.stringMatching(/^it ran\n?$/) },
      },
    ]);
    expect(turns[3]?.toolCalls).toMatchObject([
      { status: 'completed', result: { success: false, exitCode: 3, toolOutput: expect.stringMatching(/^oops\n?$/) } },
    ]);
    expect(turns[4]?.toolCalls).toHaveLength(1);
    expect(JSON.stringify(turns[4]?.toolCalls)).toContain('new.txt');
  });

  it('finds it by its id', async () => {
    const store = storeOf(await recordedHome(), provider);
    expect((await store.find(nativeId))?.nativeId).toBe(nativeId);
    expect(await store.find('00000000-0000-4000-8000-000000000000')).toBeUndefined();
  });
});

it('leaves the originals as they were', async () => {
  const home = await recordedHome();
  // A database that another program has open: its changes are in its log.
  const other = new DatabaseSync(join(home, '.local/share/opencode/opencode.db'));
  other.exec("update session set title = 'Changed'");
  const before = await hashOf(home);
  for (const store of nativeStores({ HOME: home })) {
    for (const place of (await store.scan()).places) {
      const { title } = await store.head(place);
      if (store.provider === 'opencode') expect(title).toBe('Changed');
      expect((await store.turns(place)).turns.length).toBe((await store.head(place)).isHidden ? 0 : 6);
    }
  }
  expect(await hashOf(home)).toBe(before);
  other.close();
});

it('has nothing to list in a home without agents', async () => {
  const home = await emptyHome();
  for (const store of nativeStores({ HOME: home })) expect(await store.scan()).toEqual({ places: [], problems: [] });
  expect(nativeStores({})).toEqual([]);
});

describe('hostile files', () => {
  const ID = '11111111-1111-4111-8111-111111111111';
  const line = (fields: object) => `${JSON.stringify(fields)}\n`;
  const user = (text: string, more: object = {}) =>
    line({
      type: 'user',
      uuid: `u-${text.slice(0, 8)}`,
      cwd: '/work',
      message: { role: 'user', content: text },
      ...more,
    });
  const answer = (text: string) =>
    line({ type: 'assistant', message: { content: [{ type: 'text', text }], stop_reason: 'end_turn' } });

  async function claudeWith(content: string) {
    const home = await emptyHome();
    const folder = join(home, '.claude/projects/-work');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${ID}.jsonl`), content);
    const store = claudeStore(home);
    const [place] = (await store.scan()).places;
    if (!place) throw new Error('nothing was found');
    return { home, folder, store, place };
  }

  it('keeps the turns around lines that are broken, too long, too deep or unknown', async () => {
    const { store, place } = await claudeWith(
      [
        user('first'),
        'no json\n',
        'null\n[]\n"text"\n17\n\n',
        `${'['.repeat(200_000)}${']'.repeat(200_000)}\n`,
        line({ type: 'user', message: { content: { not: 'a list' } } }),
        line({ type: 'assistant', message: { content: [null, 1, { type: 'tool_use' }, { type: 'text', text: 5 }] } }),
        line({ type: 'user', uuid: '__proto__', timestamp: 'never', message: { content: 'second' } }),
        `{"type":"user","message":{"content":"${'x'.repeat(9 * 1024 * 1024)}"}}\n`,
        answer('done'),
        user('third', { timestamp: '+999999-01-01T00:00:00Z' }),
        line({ type: 'user', uuid: 'u4', timestamp: -5, message: { content: 'fourth' } }),
        '{"type":"user","message":{"content":"half',
      ].join(''),
    );
    const { turns } = await store.turns(place);
    for (const turn of turns) turnSchema.parse(turn);
    expect(turns.map(({ userMessage }) => userMessage.text)).toEqual(['first', 'second', 'third', 'fourth']);
    expect(JSON.stringify(turns[1])).toContain('too large');
  });

  it('keeps a message with an image of megabytes', async () => {
    const image = { type: 'image', source: { type: 'base64', data: 'A'.repeat(5 * 1024 * 1024) } };
    const content = [{ type: 'text', text: 'look at this' }, image];
    const { store, place } = await claudeWith(line({ type: 'user', message: { content } }) + answer('I see'));
    const { turns } = await store.turns(place);
    expect(turns.map(({ userMessage }) => userMessage.text)).toEqual(['look at this\n[an image]']);
  });

  it('reads the end of a file of gigabytes', async () => {
    const { store, folder } = await claudeWith(user('first'));
    const path = join(folder, `${ID}.jsonl`);
    await truncate(path, 3 * 1024 ** 3);
    await appendFile(path, `\n${user('the last')}${answer('done')}`);
    const [place] = (await store.scan()).places;
    if (!place) throw new Error('nothing was found');
    const { turns, isCut } = await store.turns(place);
    expect(isCut).toBe(true);
    expect(turns.map(({ userMessage }) => userMessage.text)).toEqual(['the last']);
    expect((await store.head(place)).title).toBe('first');
  });

  it('bounds a turn with many large steps, and says so', async () => {
    const steps = Array.from({ length: 2_000 }, (_, at) =>
      line({ type: 'assistant', message: { content: [{ type: 'text', text: `${at} ${'y'.repeat(2_000)}` }] } }),
    );
    const { store, place } = await claudeWith([user('go'), ...steps].join(''));
    const { turns, isOpen } = await store.turns(place);
    expect(isOpen).toBe(true);
    expect(JSON.stringify(turns).length).toBeLessThan(600_000);
    expect(turns[0]?.responseParts[0]).toMatchObject({ kind: 'notice', text: expect.stringContaining('not shown') });
    expect(JSON.stringify(turns[0]?.responseParts.at(-1))).toContain('1999 y');
  });

  it('follows no links, waits for no pipe, and says what it may not read', async () => {
    const { home, folder, store, place } = await claudeWith(user('mine'));
    await symlink('/etc/passwd', join(folder, '22222222-2222-4222-8222-222222222222.jsonl'));
    execFileSync('mkfifo', [join(folder, '33333333-3333-4333-8333-333333333333.jsonl')]);
    await mkdir(join(folder, '44444444-4444-4444-8444-444444444444.jsonl'));
    await symlink('/', join(home, '.claude/projects/elsewhere'));
    expect((await store.scan()).places.map(({ nativeId }) => nativeId)).toEqual([ID]);
    // One that takes the place of a file after it was listed.
    await expect(
      store.head({ ...place, path: join(folder, '33333333-3333-4333-8333-333333333333.jsonl') }),
    ).rejects.toThrow('not a file');
    await expect(
      store.turns({ ...place, path: join(folder, '22222222-2222-4222-8222-222222222222.jsonl') }),
    ).rejects.toThrow();
    if (process.getuid?.() === 0) return;
    await chmod(join(home, '.claude/projects'), 0);
    expect((await store.scan()).problems.join()).toContain('permission denied');
    await chmod(join(home, '.claude/projects'), 0o700);
  });

  it('reads no database with views, which may never end, and nothing that is none', async () => {
    const home = await emptyHome();
    const folder = join(home, '.local/share/opencode');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'opencode.db'), 'no database at all, but a text of some length'.repeat(100));
    const { places, problems } = await storeOf(home, 'opencode').scan();
    expect(places).toEqual([]);
    expect(problems.join()).toContain('not a database');
    await rm(join(folder, 'opencode.db'));
    const endless = new DatabaseSync(join(folder, 'opencode.db'));
    endless.exec(`create table message (id, session_id, time_created, data); create table part (id, message_id, session_id, data);
      create view session as with recursive endless(id) as (select 1 union all select id + 1 from endless)
        select 'ses_1' as id, 'x' as title, '/' as directory, id as time_updated, null as parent_id from endless`);
    endless.close();
    expect((await storeOf(home, 'opencode').scan()).problems.join()).toContain('format is not known');
  });
});

it('shows conversations of older versions', async () => {
  const home = await emptyHome();
  const chats = join(home, '.gemini/tmp/0a1b/chats');
  const day = join(home, '.codex/sessions/2025/05/01');
  await mkdir(chats, { recursive: true });
  await mkdir(day, { recursive: true });
  const messages = [
    { id: 'a', timestamp: '2025-05-01T10:00:00Z', type: 'user', content: 'an old question' },
    { id: 'b', timestamp: '2025-05-01T10:00:01Z', type: 'gemini', content: 'an old answer' },
  ];
  await writeFile(
    join(chats, 'session-2025-05-01T10-00-abcdef01.json'),
    JSON.stringify({ sessionId: 'abcdef01-0000-4000-8000-000000000000', messages }, null, 2),
  );
  const items = [
    { id: 'x', timestamp: '2025-05-01T10:00:00Z', instructions: null },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'an old question' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'an old answer' }] },
  ];
  const name = 'rollout-2025-05-01T10-00-00-55555555-5555-4555-8555-555555555555.jsonl';
  await writeFile(join(day, name), items.map((item) => JSON.stringify(item)).join('\n'));
  for (const store of [geminiStore(home), codexStore(home)]) {
    const { place, head } = await only(store);
    expect(head.title).toBe('an old question');
    const { turns } = await store.turns(place);
    expect(turns).toMatchObject([{ responseParts: [{ kind: 'markdown', content: 'an old answer' }] }]);
  }
  expect(await readFile(join(day, name), 'utf8')).toContain('an old answer');
});
