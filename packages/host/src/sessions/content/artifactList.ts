import type { Artifact, ArtifactKind, ListArtifactsParams, ListArtifactsResult, URI } from '@agenthost/protocol';
import { ARTIFACT_KINDS, DEFAULT_ARTIFACTS_LIMIT, parseArtifactUri } from '@agenthost/protocol/internal';
import { leadsOutside } from '../../storage/artifacts/artifactFolder.js';
import { type ArtifactStore, PLAN_NAME } from '../../storage/artifacts/artifactStore.js';
import { StorageFailure } from '../../storage/artifacts/storageFailure.js';
import { errorCode } from '../../storage/fs/errnoFailure.js';
import type { SessionFs } from '../../storage/fs/sessionFs.js';

interface Entry {
  readonly kind: ArtifactKind;
  readonly name: string;
  readonly title?: string;
}

export interface ArtifactListOptions {
  readonly fs: SessionFs;
  readonly artifactStore: ArtifactStore;
  readonly uriOf: (kind: ArtifactKind, name: string) => URI;
}

/** Lists a page of artifacts. Reads all names each time, and stats only the files of the page. */
export async function listArtifacts(
  { kind, limit = DEFAULT_ARTIFACTS_LIMIT, cursor }: ListArtifactsParams,
  options: ArtifactListOptions,
): Promise<ListArtifactsResult> {
  const after = cursor === undefined ? undefined : cursorEntry(cursor, options.uriOf);
  const { entries, isComplete } = await allEntries(kind ? [kind] : ARTIFACT_KINDS, options.artifactStore);
  const rest = after ? entries.filter((entry) => isBehind(entry, after)) : entries;
  const page = rest.slice(0, limit);
  const items = await Promise.all(page.map((entry) => describe(entry, options)));
  const last = rest.length > page.length ? page.at(-1) : undefined;
  return {
    items: items.filter((item) => item !== undefined),
    ...(last && { nextCursor: options.uriOf(last.kind, last.name) }),
    ...(!isComplete && { isIncomplete: true }),
  };
}

export function locateArtifact(artifactStore: ArtifactStore, { kind, name }: Entry): Promise<string> {
  switch (kind) {
    case 'plan':
      if (name !== PLAN_NAME) throw new StorageFailure('INVALID_NAME', `a plan is called ${PLAN_NAME}`);
      return artifactStore.locatePlan();
    case 'checkpoint':
      return artifactStore.compactionSummaries.locate(name);
    case 'file':
      return artifactStore.files.locate(name);
    case 'research':
      return artifactStore.research.locate(name);
  }
}

async function allEntries(kinds: readonly ArtifactKind[], artifactStore: ArtifactStore) {
  const entries: Entry[] = [];
  let isComplete = true;
  for (const kind of kinds) {
    if (kind === 'plan') entries.push({ kind, name: PLAN_NAME });
    else if (kind === 'checkpoint') {
      for (const { name, title } of await artifactStore.compactionSummaries.list()) entries.push({ kind, name, title });
    } else {
      const found = await (kind === 'file' ? artifactStore.files : artifactStore.research).list();
      for (const name of found.names) entries.push({ kind, name });
      isComplete &&= found.isComplete;
    }
  }
  return { entries, isComplete };
}

/** `undefined` for an artifact that was removed, is no file, or must not be read. */
async function describe(
  entry: Entry,
  { fs, artifactStore, uriOf }: ArtifactListOptions,
): Promise<Artifact | undefined> {
  try {
    const { isFile, size, mtime } = await fs.stat(await locateArtifact(artifactStore, entry));
    return isFile ? { ...entry, uri: uriOf(entry.kind, entry.name), size, modifiedAt: Math.floor(mtime) } : undefined;
  } catch (error) {
    if (leadsOutside(error) || ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

function cursorEntry(cursor: string, uriOf: ArtifactListOptions['uriOf']): Entry {
  const parts = parseArtifactUri(cursor);
  if (parts && uriOf(parts.kind, parts.name) === cursor) return parts;
  throw new StorageFailure('INVALID_CURSOR', 'params.cursor: not one of this list; begin without a cursor');
}

function isBehind(entry: Entry, after: Entry): boolean {
  const kinds = ARTIFACT_KINDS.indexOf(entry.kind) - ARTIFACT_KINDS.indexOf(after.kind);
  return kinds > 0 || (kinds === 0 && entry.name > after.name);
}
