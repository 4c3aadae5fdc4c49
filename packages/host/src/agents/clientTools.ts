import type { CallClientToolResult, ClientTool } from '@agenthost/protocol';

/** What clients carry out for the agent of a session. */
export interface ClientTools {
  /** Those that are there now. A tool may be gone when it is called: the call says so. */
  readonly all: readonly ClientTool[];
  /** Never rejects: what goes wrong is an answer for the model. */
  call(name: string, input: unknown, signal: AbortSignal): Promise<CallClientToolResult>;
  /** The tools as an MCP server on this machine, for an agent that takes those. */
  serve(): Promise<ToolServer>;
}

/** An MCP server over HTTP for one agent. Its address and its headers work until it is disposed of. */
export interface ToolServer {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  dispose(): void;
}
