// Generated from the schemas by `npm run schemas`. Do not edit.

/** Who did something. The host makes it from the credential and `clientInfo`; what a client claims is ignored. */
export interface Author {
  readonly clientId: string;
  readonly name?: string;
  readonly device?: string;
}

/** Content kept out of state; read it with `fetchContent`. */
export interface ContentRef {
  readonly uri: string;
  readonly sizeHint?: number;
  readonly mimeType?: string;
}

export interface ErrorInfo {
  readonly errorType: string;
  readonly message: string;
  readonly stack?: string;
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

/** Tokens and cost of one turn. */
export interface UsageInfo {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly model?: string;
  readonly cost?: number;
  /** Tokens in the model's context at the end of the turn, where the agent says so. */
  readonly contextUsed?: number;
  /** How many tokens the context holds, where the agent says so. */
  readonly contextSize?: number;
}
