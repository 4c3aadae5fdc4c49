import { randomUUID } from 'node:crypto';
import { parseContentUri } from '@agenthost/protocol/internal';
import { beforeEach, expect, it } from 'vitest';
import type { WholeEdit } from '../../../src/agents/agent.js';
import { EditedFiles } from '../../../src/sessions/content/editedFiles.js';
import { SessionContent } from '../../../src/sessions/content/sessionContent.js';
import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';

const LIMITS = { fileBytes: 100, sessionBytes: 250, sessionFiles: 4 };
const EDIT = { type: 'fileEdit', uri: 'file:///a.txt', insertions: 1, deletions: 1, diff: 'd' } as const;

let fs: MemorySessionFs;
let content: SessionContent;
beforeEach(() => {
  fs = new MemorySessionFs({ sessionId: 's1' });
  // As that of a client, which reads whole files only.
  Object.assign(fs, { readRange: undefined });
});

async function open(limits = LIMITS): Promise<EditedFiles> {
  content = new SessionContent({ fs, provider: 'mock', sessionId: 's1', onError: () => false });
  const files = new EditedFiles(content, randomUUID, limits);
  await files.load();
  return files;
}

function keep(files: EditedFiles, whole: WholeEdit) {
  const { content: kept } = files.keep({ success: true, pastTenseMessage: 'Edited', content: [{ ...EDIT, whole }] });
  const [edit] = kept ?? [];
  if (edit?.type !== 'fileEdit') throw new Error('the edit is missing');
  expect(edit).not.toHaveProperty('whole');
  return edit;
}

async function read(uri: string | undefined): Promise<string | undefined> {
  const id = uri === undefined ? undefined : parseContentUri(uri)?.contentId;
  return id === undefined ? undefined : (await content.read(id)).data;
}

it('refers to both sides, and stores equal contents once', async () => {
  const files = await open();
  const first = keep(files, { before: 'one', after: 'two' });
  const second = keep(files, { before: 'two', after: '' });
  expect([await read(first.before?.uri), await read(first.after?.uri)]).toEqual(['one', 'two']);
  expect(second.before?.uri).toBe(first.after?.uri);
  expect(await read(second.after?.uri)).toBe('');
  expect(await content.list('edited-')).toHaveLength(3);
});

it('has no contents before for a new file', async () => {
  const edit = keep(await open(), { before: null, after: 'two' });
  expect(edit.before).toBeUndefined();
  expect(await read(edit.after?.uri)).toBe('two');
});

it.each([
  ['one file is too large', { before: 'x'.repeat(101), after: 'y' }],
  ['one file is too large after the edit', { before: 'x', after: 'ä'.repeat(51) }],
])('keeps neither side where %s', async (_, whole) => {
  const edit = keep(await open(), whole);
  expect(edit).toEqual(EDIT);
  await content.settled();
  expect(await content.list('edited-')).toEqual([]);
});

it('keeps no more than the limit of a session, also over several starts', async () => {
  const first = await open();
  keep(first, { before: 'a'.repeat(90), after: 'b'.repeat(90) });
  await content.settled();
  const second = await open();
  expect(keep(second, { before: 'c'.repeat(60), after: 'd'.repeat(60) })).toEqual(EDIT);
  expect(keep(second, { before: 'c', after: 'd' }).after).toBeDefined();
  await content.settled();
  expect(keep(await open(), { before: null, after: 'e' })).toEqual(EDIT);
});

it('keeps nothing when the session has no folder', async () => {
  Object.defineProperty(fs, 'sessionStatePath', { value: undefined });
  expect(keep(await open(), { before: 'one', after: 'two' })).toEqual(EDIT);
});
