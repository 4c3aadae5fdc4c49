import { dateOf } from '@agenthost/protocol/internal';
import { createContext, useContext } from 'react';

const LinkNote = createContext<string | undefined>(undefined);

/** Around what somebody with a read-only link sees: why nothing can be written. */
export const LinkNoteProvider = LinkNote.Provider;

export function useLinkNote(): string | undefined {
  return useContext(LinkNote);
}

/** "25 November, 14:06": the end of a link. */
export function endText(endsAt: number): string {
  return dateOf(endsAt).toLocaleString(undefined, {
    day: 'numeric',
    month: 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
}
