import type { ApproveOptions, Content, DenyOptions, EarlierSteps, PermissionAnswer } from '@agenthost/client';
import type { ActiveTurn, Role, Turn, UserMessage } from '@agenthost/protocol';
import { createContext, useContext } from 'react';

/** What the parts of a conversation need of the chat that they belong to. */
export interface ChatContext {
  /** The ids under which hosts know this browser. */
  readonly me: ReadonlySet<string>;
  readonly agentName: string;
  readonly hostName: string;
  /** What the host lets this page do. */
  readonly role: Role;
  readonly folder: string | undefined;
  /** The host's home folder, where it said so. */
  readonly home: string | undefined;
  /** When the host was last heard, where it isn't now. */
  readonly staleSince: number | undefined;
  approve(turnId: string, toolCallId: string, options?: ApproveOptions): Promise<void>;
  deny(turnId: string, toolCallId: string, options?: DenyOptions): Promise<void>;
  answer(turnId: string, requestId: string, answer: PermissionAnswer): Promise<void>;
  fetchContent(uri: string, range?: { readonly offset: number; readonly length: number }): Promise<Content>;
  /** The steps of a turn before that place, as many as come in one page. */
  earlierSteps(turn: ActiveTurn | Turn, before: number): Promise<EarlierSteps>;
  /** Not there where this page may not, or where the whole conversation isn't. */
  readonly fork?: ((turnId: string) => void) | undefined;
  /** All changed files of the session; not there where they are shown already. */
  readonly showChanges?: (() => void) | undefined;
  /** Sends the same message again; not there as `fork` is not. */
  readonly retry?: ((message: UserMessage) => void) | undefined;
}

const Context = createContext<ChatContext | undefined>(undefined);
export const ChatProvider = Context.Provider;

export function useChat(): ChatContext {
  const chat = useContext(Context);
  if (!chat) throw new Error('this component is used outside of a conversation');
  return chat;
}
