import type { SessionSummary, URI } from '@agenthost/protocol';

/** The session of ours that this one is a further chat of: they share `metadata.group`, the name of the first. */
export function firstOf({ resource, metadata }: Pick<SessionSummary, 'resource' | 'metadata'>): URI | undefined {
  const group = metadata?.['group'];
  return typeof group === 'string' && group !== '' && group !== resource ? group : undefined;
}
