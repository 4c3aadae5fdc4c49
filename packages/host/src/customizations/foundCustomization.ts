import type { CustomizationKind, McpServer } from '../agents/agentCustomization.js';

/** Something that was found, whether it can be used or not. */
export interface FoundCustomization {
  readonly kind: CustomizationKind;
  readonly uri: string;
  readonly name: string;
  readonly displayName: string;
  readonly description?: string;
  /** The file that it is in, its links followed. */
  readonly path: string;
  /** The same from the folder that was looked through, with `/`. */
  readonly relativePath: string;
  readonly origin: 'user' | 'workspace';
  /** Another one when the file has changed. */
  readonly stamp: string;
  readonly appliesTo?: string;
  readonly mcpServer?: McpServer;
  /** What it would run, or allow, without anybody being asked; in Markdown. Absent where it is text alone. */
  readonly runs?: string;
  /** Why it can't be used. */
  readonly problem?: string;
}

export interface Discovery {
  readonly customizations: readonly FoundCustomization[];
  /**
   * Files and folders that some agents obey: hooks, settings, plugins. By their paths from the workspace; those above it by
   * their whole paths.
   */
  readonly configuration: readonly string[];
  /** Of these, what belongs to another user: nobody can trust it. */
  readonly foreignConfiguration: readonly string[];
}

export interface DiscoveryLimits {
  /** Names that are read of one folder. */
  readonly maxNames: number;
  /** Customizations that are used of one folder, or servers of one file. */
  readonly maxPerPlace: number;
  readonly maxCustomizations: number;
  readonly maxTextBytes: number;
  /** Of all instructions and agents together. */
  readonly maxTotalTextBytes: number;
  readonly maxMcpFileBytes: number;
  /** How much of a file is read to find its name and description. */
  readonly maxFrontMatterBytes: number;
}

export const DISCOVERY_LIMITS: DiscoveryLimits = {
  maxNames: 1_000,
  maxPerPlace: 100,
  maxCustomizations: 250,
  maxTextBytes: 64 * 1024,
  maxTotalTextBytes: 256 * 1024,
  maxMcpFileBytes: 256 * 1024,
  maxFrontMatterBytes: 16 * 1024,
};
