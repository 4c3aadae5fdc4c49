import type { CustomizationKind, McpServer } from '../agents/agentCustomization.js';

/** A customization that was found, whether it can be used or not. */
export interface FoundCustomization {
  readonly kind: CustomizationKind;
  readonly uri: string;
  readonly name: string;
  readonly displayName: string;
  readonly description?: string;
  /** Its file, with links resolved. */
  readonly path: string;
  /** The same, relative to the searched folder, with `/`. */
  readonly relativePath: string;
  readonly origin: 'user' | 'workspace';
  /** Changes when the file has changed. */
  readonly stamp: string;
  readonly appliesTo?: string;
  readonly mcpServer?: McpServer;
  /** What it would run, or allow, without a question, in Markdown. Absent for texts. */
  readonly runs?: string;
  /** Why it can't be used. */
  readonly problem?: string;
}

export interface Discovery {
  readonly customizations: readonly FoundCustomization[];
  /**
   * Files and folders that some agents read: hooks, settings, plugins. Paths are relative to the project folder; those above it are
   * absolute.
   */
  readonly configuration: readonly string[];
  /** Those that belong to another user and therefore can't be trusted. */
  readonly foreignConfiguration: readonly string[];
}

export interface DiscoveryLimits {
  /** Maximum number of names that are read in one folder. */
  readonly maxNames: number;
  /** Maximum number of customizations of one folder, or servers of one file. */
  readonly maxPerPlace: number;
  readonly maxCustomizations: number;
  readonly maxTextBytes: number;
  /** Maximum size of all instructions and agents together. */
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
