import { expect, it } from 'vitest';
import { fileEditOf, parseSideUri } from '../src/fileEdits.js';

const SESSION = 'mock:/0d6e5b4a-6a1c-4a5e-9d36-1f6c6d6f4e21';

it.each(['a.txt', 'a&side=after=.txt', 'naïve – 漢字 %.txt', 'with space+plus.txt'])(
  'finds the sides of %j by addresses that were decoded and encoded anew',
  (name) => {
    const file = new URL(encodeURIComponent(name), 'file:///work/').href;
    const told = {
      type: 'fileEdit',
      uri: file,
      insertions: 1,
      deletions: 1,
      diff: '@@ -1,1 +1,1 @@\n-a\n+b\n',
    } as const;
    const edit = fileEditOf(told, { session: SESSION, turnId: 'request_1' });
    const sides = [edit.before, edit.after].map((side) => parseSideUri(recoded(side?.content.uri ?? '')));
    expect(sides).toEqual(['before', 'after'].map((side) => ({ session: SESSION, turnId: 'request_1', side, file })));
  },
);

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
