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

/** A customization for a session's agent: it is on, could be read and, if it would run something, is trusted. */
export interface AgentCustomization {
  readonly kind: CustomizationKind;
  readonly uri: string;
  /** Its name for agents; unique within its kind. */
  readonly name: string;
  readonly description?: string;
  /** Its file; for a skill, its `SKILL.md`. */
  readonly path: string;
  /** The text below the front matter, for instructions and agents. */
  readonly content?: string;
  /** A pattern of the files that instructions apply to. */
  readonly appliesTo?: string;
  readonly mcpServer?: McpServer;
}

/** What an agent does with customizations that the host finds. */
export interface CustomizationSupport {
  /** The kinds that it accepts by `OpenSessionOptions.customizations`. */
  readonly takes: readonly CustomizationKind[];
  /** Files that it reads by itself: they are not passed on and can't be turned off. `path` is relative, with `/`. */
  readonly readsByItself?: (kind: CustomizationKind, path: string) => boolean;
  /**
   * It follows the configuration of the folder that it is started in, including hooks and MCP servers, and this can't be turned
   * off. Where there is such configuration, it is not started before the folder is trusted.
   */
  readonly obeysWorkspace?: boolean;
}
