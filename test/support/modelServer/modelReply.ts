import type { ModelRequest } from './modelRequest.js';

/** What the scripted model answers to one request. */
export type ModelReply =
  | {
      readonly type: 'answer';
      readonly reasoning?: string;
      readonly text?: string;
      readonly toolCalls?: readonly ModelToolCall[];
    }
  /** Text that streams until the caller hangs up, at most `pieces` of it. */
  | { readonly type: 'slow'; readonly piece: string; readonly pieces: number; readonly everyMs: number }
  | { readonly type: 'failure'; readonly status: number; readonly message: string }
  /** No byte of an answer; the connection stays open until the asker or the server closes it. */
  | { readonly type: 'hang' };

export interface ModelToolCall {
  readonly name: string;
  /** A string is the input of a free-form tool (Responses only); the other wires know objects alone. */
  readonly input: Readonly<Record<string, unknown>> | string;
}

/** A reply, or what makes one of the request: a tool's name by what is on offer, or an earlier prompt from the history. */
export type ScriptedReply = ModelReply | ((request: ModelRequest) => ModelReply);

export const text = (text: string): ModelReply => ({ type: 'answer', text });
export const reasoning = (reasoning: string, text: string): ModelReply => ({ type: 'answer', reasoning, text });
export const toolCall = (name: string, input: ModelToolCall['input']): ModelReply => ({
  type: 'answer',
  toolCalls: [{ name, input }],
});
export const toolCalls = (...toolCalls: readonly ModelToolCall[]): ModelReply => ({ type: 'answer', toolCalls });
export const slow = ({ piece = 'word ', pieces = 2_000, everyMs = 20 } = {}): ModelReply => ({
  type: 'slow',
  piece,
  pieces,
  everyMs,
});
export const failure = (status: number, message = 'scripted failure'): ModelReply => ({
  type: 'failure',
  status,
  message,
});
export const hang = (): ModelReply => ({ type: 'hang' });
