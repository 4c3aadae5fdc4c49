import type { Attachment, FoundFile } from '@agenthost/protocol';
import type { Draft, MessageDrafts } from '../app/messageDrafts.js';

/** As the protocol takes them. */
const MOST_ATTACHMENTS = 64;
const LONGEST_LABEL = 1_000;
const LONGEST_URI = 4_096;
const LONGEST_QUERY = 200;

/** At the caret: an @ at the beginning of a word, and what is written after it. */
export function mentionAt(text: string, caret: number): { readonly start: number; readonly query: string } | undefined {
  const before = text.slice(Math.max(0, caret - LONGEST_QUERY - 2), caret);
  const [found, query] = /(?:^|[\s([{"'`])@([^\s@]*)$/.exec(before) ?? [];
  if (found === undefined || query === undefined) return undefined;
  const start = caret - query.length - 1;
  // What was cut off could be the beginning of the word.
  return query.length > LONGEST_QUERY ||
    (before.startsWith('@') && start > 0 && !/[\s([{"'`]/.test(text[start - 1] ?? ' '))
    ? undefined
    : { start, query };
}

/** Once for each file, and none that the host would refuse: the path is in the text in any case. */
export function withMention(draft: Draft, attachment: Attachment): Draft {
  const { label, uri = '' } = attachment;
  const isThere = draft.attachments.some((one) => one.uri === uri);
  const isTooMuch =
    draft.attachments.length >= MOST_ATTACHMENTS || label.length > LONGEST_LABEL || uri.length > LONGEST_URI;
  return isThere || isTooMuch ? draft : { ...draft, attachments: [...draft.attachments, attachment] };
}

/** Whoever takes a mention out of the text does not mean the file any more. */
export function withoutGone(draft: Draft, before: string): Draft {
  const isGone = ({ label, ...attachment }: Attachment) =>
    isMention({ label, ...attachment }) && before.includes(`@${label}`) && !draft.text.includes(`@${label}`);
  return draft.attachments.some(isGone)
    ? { ...draft, attachments: draft.attachments.filter((attachment) => !isGone(attachment)) }
    : draft;
}

/** A file of the session's folder, not one that was brought along. */
function isMention({ kind, uri, data, ref }: Attachment): boolean {
  return (kind === 'file' || kind === 'directory') && uri !== undefined && data === undefined && ref === undefined;
}

/** As agents get it: the path as a link, or in their own form. */
export function attachmentOf({ path, type }: FoundFile, folderUri: string): Attachment {
  const uri = `${folderUri.replace(/\/$/, '')}/${path.split('/').map(encodeURIComponent).join('/')}`;
  return { kind: type === 'folder' ? 'directory' : 'file', label: path, uri };
}

/** Names a file at the end of what is written. */
export function mentionFile(drafts: MessageDrafts, chat: string, path: string, folderUri: string): void {
  const draft = drafts.of(chat).value;
  const space = draft.text === '' || /\s$/.test(draft.text) ? '' : ' ';
  const text = `${draft.text}${space}@${path} `;
  drafts.set(chat, withMention({ ...draft, text }, attachmentOf({ path, type: 'file' }, folderUri)));
  // After the dialog has given the focus back.
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLTextAreaElement>('[data-composer]');
    field?.focus();
    field?.setSelectionRange(text.length, text.length);
  });
}
