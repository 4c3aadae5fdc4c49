import type { SessionSummary } from './types/sessionState.js';

const METADATA_KEY = 'untrustedFolder';

/**
 * From `summary.metadata.untrustedFolder`: the path of the folder that somebody has to trust before the session's agent works
 * there. `undefined` where nobody is going to be asked.
 */
export function untrustedFolder({ metadata }: Pick<SessionSummary, 'metadata'>): string | undefined {
  const folder = metadata?.[METADATA_KEY];
  return typeof folder === 'string' && folder !== '' ? folder : undefined;
}

/** The payload of `session/metadataChanged` that tells of it, or with `undefined` that nobody has to trust anything. */
export function withUntrustedFolder(folder: string | undefined): Readonly<Record<string, unknown>> {
  return { [METADATA_KEY]: folder ?? null };
}

/** What a client says of it is dropped: only the host knows. */
export function withoutUntrustedFolder(metadata: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { [METADATA_KEY]: _, ...rest } = metadata;
  return rest;
}
