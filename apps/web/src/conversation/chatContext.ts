import type {
  ApproveOptions,
  Content,
  DenyOptions,
  EarlierSteps,
  PermissionAnswer,
  ToolCallInput,
} from '@agenthost/client';
import type { ActiveTurn, Role, Turn, UserMessage } from '@agenthost/protocol';
import { createContext, useContext } from 'react';
import type { PageHost } from '../app/pagePlace.js';

/** What the parts of a conversation need from their chat. */
export interface ChatContext {
  /** The ids under which hosts know this browser. */
  readonly me: ReadonlySet<string>;
  readonly agentName: string;
  readonly hostName: string;
  /** The agent's host, for its log-in; missing for other providers. */
  readonly host: PageHost | undefined;
  /** The agent's id there. */
  readonly agentId: string;
  /** The role of this page. */
  readonly role: Role;
  readonly folder: string | undefined;
  /** The host's home folder, if known. */
  readonly home: string | undefined;
  /** When the host was last connected, if it isn't now. */
  readonly staleSince: number | undefined;
  approve(turnId: string, toolCallId: string, options?: ApproveOptions): Promise<void>;
  deny(turnId: string, toolCallId: string, options?: DenyOptions): Promise<void>;
  answer(turnId: string, requestId: string, answer: PermissionAnswer): Promise<void>;
  /** Types into a running command; missing where nobody can. */
  readonly sendInput?: ((toolCallId: string, input: ToolCallInput) => Promise<void>) | undefined;
  fetchContent(uri: string, range?: { readonly offset: number; readonly length: number }): Promise<Content>;
  /** The steps of a turn before that position, one page. */
  earlierSteps(turn: ActiveTurn | Turn, before: number): Promise<EarlierSteps>;
  /** Missing if the role doesn't allow it, or outside of the whole conversation. */
  readonly fork?: ((turnId: string) => void) | undefined;
  /** All changed files of the session; missing if they are already shown. */
  readonly showChanges?: (() => void) | undefined;
  /** The ids of turns whose messages the host sends again after a log-in, with spaces between them. */
  readonly awaitingLogin?: string | undefined;
  /** Sends the same message again; missing like `fork`. */
  readonly retry?: ((message: UserMessage) => void) | undefined;
  /** Puts a message into the composer, to be changed and sent again; missing like `fork`. */
  readonly edit?: ((message: UserMessage) => void) | undefined;
  /** Stops the running turn; missing like `fork`. */
  readonly stop?: (() => void) | undefined;
}

const Context = createContext<ChatContext | undefined>(undefined);
export const ChatProvider = Context.Provider;

export function useChat(): ChatContext {
  const chat = useContext(Context);
  if (!chat) throw new Error('this component is used outside of a conversation');
  return chat;
}
