import type { ModelToolCall } from './modelReply.js';
import type { ParsedRequest, WireName } from './modelRequest.js';

/** One way to talk to a model over HTTP. */
export interface Wire {
  readonly name: WireName;
  owns(path: string): boolean;
  parse(body: Body, path: string): ParsedRequest;
  /** The whole answer as one JSON body. */
  whole(answer: WholeAnswer, model: string): unknown;
  /** The answer as server-sent events, ready to be written. */
  stream(answer: StreamedAnswer, model: string): AsyncIterable<string>;
  failure(status: number, message: string): unknown;
}

export type Body = Readonly<Record<string, unknown>>;

interface AnswerParts {
  readonly reasoning: string;
  readonly toolCalls: readonly (ModelToolCall & { readonly id: string })[];
}
export interface WholeAnswer extends AnswerParts {
  readonly text: string;
}
export interface StreamedAnswer extends AnswerParts {
  readonly hasText: boolean;
  /** Ends early when the asker hangs up. */
  readonly textPieces: AsyncIterable<string>;
}

let numbers = 0;
export const nextId = (prefix: string): string => `${prefix}_${(++numbers).toString(36).padStart(8, '0')}`;

/** Cut as models cut: small, and through words. */
export const pieces = (text: string): readonly string[] => text.match(/[\s\S]{1,12}/g) ?? [];

export const event = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
export const data = (value: unknown): string =>
  `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;

export const list = (value: unknown): readonly Body[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'object' && entry !== null) : [];
export const record = (value: unknown): Body => (typeof value === 'object' && value !== null ? (value as Body) : {});
export const string = (value: unknown): string => (typeof value === 'string' ? value : '');
export const argumentsOf = ({ input }: ModelToolCall): string =>
  typeof input === 'string' ? input : JSON.stringify(input);
