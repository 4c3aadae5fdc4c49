import type { PendingMessage, SessionState, UserMessage } from '@agenthost/protocol';
import type { ChatModel } from '@agenthost/sessions';
import { useEffect, useState } from 'react';
import type { Draft } from '../app/messageDrafts.js';
import { useServices } from '../app/services.js';
import { useObservable } from '../app/useObservable.js';
import { useStable } from '../app/useStable.js';

/** The text for a chat, and its target: a turn, the queue, the running turn, or a queued message that is edited. */
export function useComposer(chat: string, model: ChatModel, state: SessionState | undefined, onSent: () => void) {
  const { drafts, unsent } = useServices();
  const draft = useObservable(useStable(() => drafts.of(chat), [drafts, chat]));
  const [editing, setEditing] = useState<string>();
  /** The text that was being written when the user began to edit a queued message. */
  const aside = `${chat} aside`;
  const takeUpAgain = () => {
    const begun = drafts.of(aside).value;
    if (isEmpty(begun)) return;
    drafts.clear(aside);
    drafts.giveBack(chat, begun);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: after a reload in the middle of an edit, once
  useEffect(takeUpAgain, [chat]);
  const edit = async (message: PendingMessage) => {
    // Otherwise the edit would cut content that the state only refers to.
    const { text, attachments = [] } = await model.wholeMessage(message.userMessage);
    setEditing(message.id);
    const begun = drafts.of(chat).value;
    if (editing === undefined && !isEmpty(begun)) drafts.set(aside, begun);
    drafts.set(chat, { text, attachments });
    document.querySelector<HTMLElement>('[data-composer]')?.focus();
  };
  const send = async (message: UserMessage, how: 'send' | 'steer') => {
    const isStillQueued = editing !== undefined && state?.queuedMessages?.some(({ id }) => id === editing);
    const id = isStillQueued ? editing : crypto.randomUUID();
    setEditing(undefined);
    const sending = isStillQueued
      ? model.editPending(id, message)
      : how === 'steer'
        ? model.steer(message, id)
        : model.submit(message, id);
    // Not before it is stored elsewhere: a page that is closed now must not lose it.
    drafts.clear(chat);
    takeUpAgain();
    onSent();
    try {
      await sending;
    } catch (error) {
      // Without an answer of the host it is still pending, and shown as such.
      if (unsent.has(id)) return;
      drafts.giveBack(chat, message);
      throw error;
    }
  };
  const editLast = () => {
    const last = state?.queuedMessages?.at(-1);
    return last ? edit(last) : Promise.resolve();
  };
  return { draft, setDraft: (next: typeof draft) => drafts.set(chat, next), edit, send, editLast, editing };
}

function isEmpty({ text, attachments }: Draft): boolean {
  return text === '' && attachments.length === 0;
}
