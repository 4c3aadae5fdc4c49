import type { URI } from '../uri.js';

/** Who did something: the host's word, made from the credential and `clientInfo`, never the client's own claim. */
export interface Author {
  readonly clientId: string;
  readonly name?: string;
  readonly device?: string;
}

export interface ErrorInfo {
  readonly errorType: string;
  readonly message: string;
  readonly stack?: string;
}

/** Of one turn. */
export interface UsageInfo {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly model?: string;
  readonly cost?: number;
  /** Tokens in the model's context at the end of the turn, and how many it holds, where the agent says so. */
  readonly contextUsed?: number;
  readonly contextSize?: number;
}

/** Content kept out of state; read it with `fetchContent`. */
export interface ContentRef {
  readonly uri: URI;
  readonly sizeHint?: number;
  readonly mimeType?: string;
}

/** Zero-based, end exclusive, columns in UTF-16 code units. */
export interface TextPosition {
  readonly line: number;
  readonly character: number;
}

export interface TextRange {
  readonly start: TextPosition;
  readonly end: TextPosition;
}
