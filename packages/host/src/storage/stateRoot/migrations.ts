/**
 * Brings a state root from one version to the next.
 *
 * Contract: it changes nothing but `entries`. It may be killed at any moment and is then run again on what it left, so it
 * replaces files by renaming and passes over what is done. What it throws stops the host; the version stays as it was.
 */
export interface Migration {
  /** For the person who reads it when the host starts, such as "trust is kept by folder". */
  readonly what: string;
  /** The names in the state root that it changes or makes; those that are there are copied before. */
  readonly entries: readonly string[];
  run(stateRoot: string): Promise<void>;
}

/** The first one brings version 1 to 2, and so on. One that was released is never changed and never taken away. */
export const MIGRATIONS: readonly Migration[] = [];
