import type { Attachment, FoundFile } from '@agenthost/protocol';
import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useRef, useState } from 'react';
import type { Draft } from '../app/messageDrafts.js';
import type { SessionFolder } from '../files/useChatFiles.js';
import { useFoundFiles } from '../files/useFoundFiles.js';
import { attachmentOf, mentionAt, withMention, withoutGone } from './mentions.js';

const MOST = 12;

interface MentionsOptions {
  /** Missing where no files can be mentioned. */
  readonly folder: SessionFolder | undefined;
  /** The `file:` URI of the folder. */
  readonly folderUri: string | undefined;
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

/** The files that match the text after an @ at the caret, and the selected one. */
export interface MentionList {
  readonly id: string;
  readonly matches: readonly FoundFile[];
  readonly selected: number;
  readonly choose: (file: FoundFile) => void;
  /** Whether the key was for the list. */
  readonly keyDown: (event: KeyboardEvent) => boolean;
  /** The text was changed by hand. */
  readonly change: (text: string) => void;
  readonly caretMoved: () => void;
  /** Props for the text field. */
  readonly field: { readonly 'aria-controls'?: string; readonly 'aria-activedescendant'?: string };
}

const NONE: readonly FoundFile[] = [];

export function useMentions({ folder, folderUri, draft, onDraft, field }: MentionsOptions): MentionList {
  const id = useId();
  const [caret, setCaret] = useState(0);
  const [reached, setReached] = useState({ query: '', place: 0 });
  /** Where the @ is at which the user closed the list. */
  const [dismissed, setDismissed] = useState<number>();
  /** Where the caret goes after the next rendering. */
  const next = useRef<number>(undefined);
  const { text } = draft;
  const mention = folder && folderUri !== undefined ? mentionAt(text, caret) : undefined;
  const query = mention && mention.start !== dismissed ? mention.query : undefined;
  const { found } = useFoundFiles(folder, query, MOST);
  const matches = query === undefined ? NONE : (found?.result.files ?? NONE);
  const selected = Math.min(reached.query === query ? reached.place : 0, matches.length - 1);
  const caretMoved = () => setCaret(field.current?.selectionStart ?? 0);
  useLayoutEffect(() => {
    if (next.current === undefined || !field.current) return;
    field.current.setSelectionRange(next.current, next.current);
    setCaret(next.current);
    next.current = undefined;
  });
  const put = (written: string, attachment?: Attachment) => {
    if (!mention) return;
    const before = text.slice(0, mention.start);
    next.current = before.length + written.length;
    const changed = { ...draft, text: `${before}${written}${text.slice(caret)}` };
    onDraft(attachment ? withMention(changed, attachment) : changed);
  };
  const choose = (file: FoundFile) => {
    if (folderUri === undefined) return;
    const space = /^\s/.test(text.slice(caret)) ? '' : ' ';
    setDismissed(mention?.start);
    put(`@${file.path}${space}`, attachmentOf(file, folderUri));
  };
  const keyDown = (event: KeyboardEvent): boolean => {
    const file = matches[selected];
    if (!file || query === undefined || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setReached({ query, place: (selected + step + matches.length) % matches.length });
    else if (event.key === 'Escape') setDismissed(mention?.start);
    // Into a folder, to find what is in it.
    else if (event.key === 'Tab' && file.type === 'folder') put(`@${file.path}/`);
    else if (event.key === 'Tab' || event.key === 'Enter') choose(file);
    else return false;
    event.preventDefault();
    return true;
  };
  const change = (written: string) => {
    caretMoved();
    // A new @ at the same place opens the list again.
    if (dismissed !== undefined && (written[dismissed] !== '@' || text[dismissed] !== '@')) setDismissed(undefined);
    onDraft(withoutGone({ ...draft, text: written }, text));
  };
  return {
    id,
    matches,
    selected,
    choose,
    keyDown,
    change,
    caretMoved,
    field: matches.length > 0 ? { 'aria-controls': id, 'aria-activedescendant': `${id}${selected}` } : {},
  };
}
