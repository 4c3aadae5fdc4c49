import { expect, it } from 'vitest';
import { attachmentOf, mentionAt, withMention, withoutGone } from '../src/composer/mentions.js';

it.each([
  ['@', 1, { start: 0, query: '' }],
  ['see @src/a', 10, { start: 4, query: 'src/a' }],
  ['see @src/a and', 8, { start: 4, query: 'src' }],
  ['(@a', 3, { start: 1, query: 'a' }],
  ['line\n@a', 7, { start: 5, query: 'a' }],
  ['me@example.org', 14, undefined],
  ['@a b', 4, undefined],
  ['a@b', 3, undefined],
  ['@@a', 3, undefined],
  [`@${'x'.repeat(300)}`, 301, undefined],
])('what is mentioned in %j at %i', (text, caret, mention) => {
  expect(mentionAt(text, caret)).toEqual(mention);
});

it('a mention is an attachment once, as a URI of its folder, and goes when it is taken out of the text', () => {
  const attachment = attachmentOf({ path: 'a b/ü#?.ts', type: 'file' }, 'file:///home/me');
  expect(attachment).toEqual({
    kind: 'file',
    label: 'a b/ü#?.ts',
    uri: 'file:///home/me/a%20b/%C3%BC%23%3F.ts',
  });
  const draft = withMention({ text: 'see @a b/ü#?.ts ', attachments: [] }, attachment);
  expect(withMention(draft, attachment)).toBe(draft);
  expect(withoutGone({ ...draft, text: `${draft.text}now` }, draft.text).attachments).toEqual([attachment]);
  expect(withoutGone({ ...draft, text: 'see ' }, draft.text).attachments).toEqual([]);
  // Of another client, which names it nowhere in the text.
  expect(withoutGone({ ...draft, text: 'se' }, 'see').attachments).toEqual([attachment]);
});

it('no more attachments than the protocol takes, and none that is too long for it', () => {
  const attachments = Array.from({ length: 64 }, (_, n) =>
    attachmentOf({ path: `${n}`, type: 'file' as const }, 'file:///x'),
  );
  expect(
    withMention({ text: '', attachments }, attachmentOf({ path: 'y', type: 'file' }, 'file:///x')).attachments,
  ).toBe(attachments);
  const long = attachmentOf({ path: 'y'.repeat(1_001), type: 'folder' }, 'file:///x');
  expect(withMention({ text: '', attachments: [] }, long).attachments).toEqual([]);
});
