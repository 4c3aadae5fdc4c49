import type { Customization } from '@agenthost/protocol';

export type CustomizationKind = Customization['kind'];

/** How an MCP server is reached: a program to start, or an address. */
export type McpServer =
  | {
      readonly type: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | { readonly type: 'http' | 'sse'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** What a session's agent is to use: it is on, could be read and, where it would run something, is trusted. */
export interface AgentCustomization {
  readonly kind: CustomizationKind;
  readonly uri: string;
  /** As agents call it; no two of a kind have the same. */
  readonly name: string;
  readonly description?: string;
  /** The file that it is in; of a skill, its `SKILL.md`. */
  readonly path: string;
  /** The text below the front matter; of instructions and agents. */
  readonly content?: string;
  /** A pattern of the files that instructions are for. */
  readonly appliesTo?: string;
  readonly mcpServer?: McpServer;
}

/** What an agent does with customizations that the host finds. */
export interface CustomizationSupport {
  /** The kinds that it takes by `OpenSessionOptions.customizations`. */
  readonly takes: readonly CustomizationKind[];
  /** Files that it reads on its own: they are not handed over, and can't be turned off. `path` is relative, with `/`. */
  readonly readsByItself?: (kind: CustomizationKind, path: string) => boolean;
  /**
   * It obeys what it finds in the folder that it is started in, hooks and MCP servers among it, and nothing keeps it from
   * that. Where there is such configuration it is not started before the folder is trusted.
   */
  readonly obeysWorkspace?: boolean;
}
