import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { removeEmptyTwins } from '../../../src/agents/native/geminiTwins.js';
import { emptyHome } from './nativeHome.js';

const ID = 'e548c516-ccce-414b-aa3d-26f77c92abcc';
const context = {
  id: 'c',
  type: 'user',
  content: [{ text: '<session_context>\nToday is Wednesday.\n</session_context>' }],
};
const head = { sessionId: ID, kind: 'main' };
const EMPTY = [head, { $set: { messages: [context] } }, head, { $set: { messages: [context] } }];
const SAID = [...EMPTY, { id: 'm', type: 'user', content: [{ text: 'the number is 4711' }] }];

async function homeWith(files: Readonly<Record<string, readonly object[] | string>>) {
  const home = await emptyHome();
  const folder = join(home, '.gemini/tmp/project/chats');
  await mkdir(folder, { recursive: true });
  for (const [name, lines] of Object.entries(files)) {
    const text = typeof lines === 'string' ? lines : lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    await writeFile(join(folder, name), text);
  }
  return { home, folder, names: async () => (await readdir(folder)).sort() };
}

const name = (minute: number, id = 'e548c516') => `session-2026-11-18T09-${minute}-${id}.jsonl`;

describe('the empty file that Gemini CLI leaves when it loads a conversation', () => {
  it('is removed, and the conversation stays as it is', async () => {
    const { home, folder, names } = await homeWith({ [name(25)]: SAID, [name(26)]: EMPTY });
    const before = await readFile(join(folder, name(25)));
    await removeEmptyTwins({ HOME: home }, ID);
    expect(await names()).toEqual([name(25)]);
    expect(await readFile(join(folder, name(25)))).toEqual(before);
  });

  it('stays where no other file has the conversation: it has just begun', async () => {
    const { home, names } = await homeWith({ [name(25)]: EMPTY, [name(26)]: EMPTY });
    await removeEmptyTwins({ HOME: home }, ID);
    expect(await names()).toEqual([name(25), name(26)]);
  });

  it('is not mixed up with other conversations, nor with files that can not be read', async () => {
    const other = EMPTY.map((line) =>
      'sessionId' in line ? { ...line, sessionId: 'e548c516-0000-4000-8000-0' } : line,
    );
    const files = { [name(25)]: SAID, [name(26)]: other, [name(27)]: '{ broken', [name(28, '00000000')]: EMPTY };
    const { home, names } = await homeWith(files);
    await removeEmptyTwins({ HOME: home }, ID);
    expect(await names()).toEqual(Object.keys(files));
    await removeEmptyTwins({}, ID);
    await removeEmptyTwins({ HOME: join(home, 'none') }, ID);
  });
});
