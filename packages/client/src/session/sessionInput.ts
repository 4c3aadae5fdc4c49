import type { ClientAction, UserMessage } from '@agenthost/protocol';

type WithoutStamps<A> = A extends ClientAction ? Omit<A, 'session' | 'at' | 'by'> : never;

/** An action as a program gives it; the session, the time and the author are added. */
export type ClientActionInput = WithoutStamps<ClientAction>;

export type Message = string | UserMessage;

/** What is typed into a running tool call: text with Enter, Ctrl+D, or Ctrl+C. */
export type ToolCallInput =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'endOfInput' | 'interrupt' };
