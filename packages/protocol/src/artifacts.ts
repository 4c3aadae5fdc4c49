import type { ArtifactKind } from './types/commands.js';
import type { SessionSummary } from './types/sessionState.js';

/** What a session keeps beside its conversation, in the order in which it is listed. */
export const ARTIFACT_KINDS = ['plan', 'checkpoint', 'file', 'research'] as const satisfies readonly ArtifactKind[];

/** When the host last stored something of a kind, in milliseconds since 1970; a kind that is absent has nothing. */
export type ArtifactTimes = { readonly [K in ArtifactKind]?: number };

const METADATA_KEY = 'artifacts';

/** From `summary.metadata.artifacts`. Who shows an artifact reads it again when the time of its kind has changed. */
export function artifactTimes({ metadata }: Pick<SessionSummary, 'metadata'>): ArtifactTimes {
  const found = metadata?.[METADATA_KEY];
  if (typeof found !== 'object' || found === null) return {};
  // From the log, and at a session's creation from a client: it may be anything.
  const times = ARTIFACT_KINDS.map((kind) => [kind, (found as Record<string, unknown>)[kind]] as const);
  return Object.fromEntries(times.filter(([, time]) => typeof time === 'number'));
}

/** The payload of `session/metadataChanged` that tells of a change, or with `undefined` that nothing of the kind is left. */
export function withArtifactTime(
  times: ArtifactTimes,
  kind: ArtifactKind,
  time: number | undefined,
): Readonly<Record<string, unknown>> {
  const { [kind]: _, ...others } = times;
  const changed = { ...others, ...(time !== undefined && { [kind]: time }) };
  return { [METADATA_KEY]: Object.keys(changed).length > 0 ? changed : null };
}
