import type { SessionSummary } from '@agenthost/protocol';
import { withoutUntrustedFolder } from '@agenthost/protocol/internal';
import type { SessionPlace } from '../../storage/sessionStorage.js';
import { type GitMetadata, readGitMetadata } from './gitMetadata.js';

/** The keys of the metadata contract that the host fills. */
const KEYS = [
  'workingDirectoryPath',
  'repositoryPath',
  'worktreePath',
  'branch',
  'baseBranchName',
  'repositoryUrl',
  'owner',
  'name',
] as const satisfies readonly ('workingDirectoryPath' | keyof GitMetadata)[];

/** A file system that hangs must not block later refreshes of the metadata. */
const TIMEOUT_MS = 5_000;

export interface FolderMetadataOptions {
  readonly cwd: string;
  /** Keys that the client set when it created the session. The host does not change them. */
  readonly given: ReadonlySet<string>;
}

/** What a client may say of a new session: not what only the host knows. */
export function givenMetadata(metadata: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  const { away: _, ...rest } = withoutUntrustedFolder(metadata);
  return rest;
}

/** The changes that bring a session's metadata about its machines up to date. */
export function placeMetadata(
  current: SessionSummary['metadata'],
  { name, isHere, host }: SessionPlace,
  given: ReadonlySet<string>,
): Readonly<Record<string, string | boolean | null>> {
  const isKnown = (key: string, value: string) => given.has(key) || current?.[key] === value;
  const isAway = current?.['away'] === true;
  return {
    ...(!isKnown('remoteAgentHost', name) && { remoteAgentHost: name }),
    // A host of another place only shows it.
    ...(isHere && host !== undefined && !isKnown('host', host) && { host }),
    ...(isAway === isHere && { away: isHere ? null : true }),
  };
}

/** The changes that bring a session's metadata about its folder up to date; `undefined` when that is not known in time. */
export async function folderMetadata(
  current: SessionSummary['metadata'],
  { cwd, given }: FolderMetadataOptions,
): Promise<Readonly<Record<string, string | null>> | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((done) => {
    timer = setTimeout(() => done(undefined), TIMEOUT_MS).unref();
  });
  const git = await Promise.race([readGitMetadata(cwd), late]).finally(() => clearTimeout(timer));
  if (git === undefined) return undefined;
  const wanted: Readonly<Record<string, string | undefined>> = { workingDirectoryPath: cwd, ...git };
  return Object.fromEntries(
    KEYS.filter((key) => !given.has(key) && (current?.[key] ?? undefined) !== wanted[key]).map((key) => [
      key,
      wanted[key] ?? null,
    ]),
  );
}
