/**
 * Brings a state root from one version to the next.
 *
 * Contract: it changes only `entries`. It may be killed at any moment and is then run again on its partial result, so it
 * replaces files by renaming and skips finished work. An error stops the host, and the version stays unchanged.
 */
export interface Migration {
  /** A text for the person who reads it when the host starts, such as "trust is kept by folder". */
  readonly what: string;
  /** The names in the state root that it changes or makes; existing ones are copied before. */
  readonly entries: readonly string[];
  run(stateRoot: string): Promise<void>;
}

/** The first one brings version 1 to 2, and so on. A released step is never changed or removed. */
export const MIGRATIONS: readonly Migration[] = [];
