import type { SessionSummary } from '@agenthost/protocol';
import type { URI } from '../session.js';
import { locationOf } from './workspaceOfMetadata.js';

/** The folder of a session for another one there: with its place (`file://PLACE/path`) where that is not the host's own. */
export function folderUri(
  { workingDirectory, metadata }: Pick<SessionSummary, 'workingDirectory' | 'metadata'>,
  ownPlace: string | undefined,
): URI | undefined {
  const { place } = locationOf(metadata) ?? {};
  const isElsewhere = ownPlace !== undefined && place !== undefined && place !== ownPlace;
  if (!isElsewhere || !workingDirectory?.startsWith('file:///')) return workingDirectory;
  return `file://${encodeURIComponent(place)}${workingDirectory.slice('file://'.length)}`;
}
