import type { FileEditResultContent } from '@agenthost/protocol';
import { expect, it } from 'vitest';
import { fileEditOf, parseSideUri } from '../src/translate/fileEdits.js';

const EDIT: FileEditResultContent = { type: 'fileEdit', uri: 'file:///work/a.txt', insertions: 1, deletions: 1 };
const content = (id: string) => ({ uri: `mock://0d6e5b4a-6a1c-4a5e-9d36-1f6c6d6f4e21/${id}.txt`, sizeHint: 3 });

it.each(['a.txt', 'a&side=after=.txt', 'naïve – 漢字 %.txt', 'with space+plus.txt'])(
  'finds the contents of %j by addresses that were decoded and encoded again',
  (name) => {
    const uri = new URL(encodeURIComponent(name), 'file:///work/').href;
    const edit = fileEditOf({ ...EDIT, uri, before: content('one'), after: content('two') });
    const sides = [edit?.before, edit?.after].map((side) => parseSideUri(recoded(side?.content.uri ?? '')));
    expect(sides).toEqual([content('one').uri, content('two').uri]);
    expect(edit?.before?.content.uri).toMatch(/^ahp-edit:\/work\//);
  },
);

it('sends no contents that are not proven, whatever the diff says', () => {
  expect(fileEditOf({ ...EDIT, diff: '@@ -1,1 +1,1 @@\n-a\n+b\n' })).toBeUndefined();
});

it('describes a new file by its new contents, and a deleted one by its old contents', () => {
  expect(Object.keys(fileEditOf({ ...EDIT, after: content('two') }) ?? {})).toEqual(['after', 'diff']);
  expect(Object.keys(fileEditOf({ ...EDIT, before: content('one') }) ?? {})).toEqual(['before', 'diff']);
});

it.each(['ahp-edit:/a.txt', 'ahp-edit:/a.txt?', 'ahp-edit:/a.txt?%%%', 'ahp-edit:/a.txt?AAAAA', 'file:///a.txt'])(
  'is not misled by %j',
  (uri) => {
    expect(parseSideUri(uri)).toBeUndefined();
  },
);

/** As VS Code does with every address that it is given. */
function recoded(uri: string): string {
  const [, scheme, path = '', query = ''] = /^([^:]*):([^?]*)\?(.*)$/.exec(uri) ?? [];
  const again = (text: string) => encodeURIComponent(decodeURIComponent(text));
  return `${scheme}:${path.split('/').map(again).join('/')}?${again(query)}`;
}
