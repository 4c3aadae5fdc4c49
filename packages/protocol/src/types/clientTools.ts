// Generated from the schemas by `npm run schemas`. Do not edit.

/** `callClientTool`: the agent of a session uses a tool of this client. */
export interface CallClientToolParams {
  readonly session: string;
  /** The same when the host asks again after a lost connection: the call is carried out once. */
  readonly callId: string;
  /** Letters, digits, `_` and `-`, beginning with a letter. */
  readonly name: string;
  /** As the model made it: unchecked. */
  readonly input: Readonly<Record<string, unknown>>;
}

export interface CallClientToolResult {
  /** At most `MAX_TOOL_RESULT_LENGTH` code units in all; of more the agent is told that it is too large. */
  readonly content: readonly ClientToolContent[];
  /** The tool failed; the content says why, to the model. */
  readonly isError?: true;
}

/** A tool that a client carries out for the agent of a session. */
export interface ClientTool {
  /** Letters, digits, `_` and `-`, beginning with a letter. */
  readonly name: string;
  /** Ready to display. */
  readonly title?: string;
  /** For the model: what it does, and when to use it. */
  readonly description: string;
  /**
   * JSON Schema of the input, an object: `type` is `object`. At most `MAX_TOOL_SCHEMA_LENGTH` code units as JSON; a
   * `$ref` begins with `#`. The host does not check inputs against it.
   */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export type ClientToolContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string };

export interface SetClientToolsParams {
  /** The connection is subscribed to it. */
  readonly session: string;
  /** All tools of this client in this session from now on; an empty list removes them. */
  readonly tools: readonly ClientTool[];
}
