import { untrustedFolder } from '@agenthost/protocol/internal';
import type {
  GitHubInfo,
  GitHubPullRequest,
  SessionLocation,
  SessionRepository,
  SessionWorkspace,
  URI,
} from '../session.js';
import { type SessionMetadata, workspaceLabel } from './workspaceLabel.js';

export interface WorkspaceSource {
  readonly metadata?: SessionMetadata | undefined;
  readonly badge?: string | undefined;
  /** A `file:` URI, known also where the metadata say nothing. */
  readonly workingDirectory?: URI | undefined;
}

/**
 * The workspace of a session by its metadata. `undefined` where nothing is known: the list shows such sessions under "Unknown".
 *
 * @example
 * ```ts
 * const workspace = workspaceOfMetadata({ metadata: { workingDirectoryPath: '/src/project' } });
 * console.log(workspace?.label);
 * ```
 */
export function workspaceOfMetadata({
  metadata = {},
  badge,
  workingDirectory,
}: WorkspaceSource): SessionWorkspace | undefined {
  const known =
    workingDirectory !== undefined && metadata['workingDirectoryPath'] === undefined
      ? { ...metadata, workingDirectoryPath: pathOf(workingDirectory) }
      : metadata;
  const label = workspaceLabel(known, badge);
  if (label === undefined) return undefined;
  const repository = repositoryOf(known, workingDirectory);
  const location = locationOf(known);
  return {
    label,
    icon:
      text(known, 'remoteAgentHost') !== undefined ? 'remote' : repository?.detail !== undefined ? 'repo' : 'folder',
    repositories: repository ? [repository] : [],
    requiresWorkspaceTrust: untrustedFolder({ metadata: known }) !== undefined,
    ...(location && { location }),
  };
}

/**
 * Where a session lives, by its metadata; `undefined` for a session of a host of its own.
 *
 * @example
 * ```ts
 * const location = locationOf({ remoteAgentHost: 'build-7', host: 'build-7 1a2b3c4d', away: true });
 * if (location?.isAway) console.log(`${location.place} is away`);
 * ```
 */
export function locationOf(metadata: SessionMetadata = {}): SessionLocation | undefined {
  const [place, host] = [text(metadata, 'remoteAgentHost'), text(metadata, 'host')];
  const isAway = metadata['away'] === true;
  if (place === undefined || (host === undefined && !isAway)) return undefined;
  return { place, ...(host !== undefined && { host }), isAway };
}

export function gitHubInfoOf(metadata: SessionMetadata = {}): GitHubInfo | undefined {
  const [owner, repo] = ownerAndName(metadata);
  const url = text(metadata, 'repositoryUrl');
  if (owner === undefined || repo === undefined) return undefined;
  // Where the address is known, it has to be GitHub's; other hosts have owners and names too.
  if (url !== undefined && !/^(?:[a-z+]+:\/\/)?(?:[^@/]+@)?(?:www\.)?github\.com[:/]/i.test(url)) return undefined;
  const pullRequest = pullRequestOf(metadata['pullRequest']);
  return { owner, repo, ...(pullRequest && { pullRequest }) };
}

function repositoryOf(metadata: SessionMetadata, folder: URI | undefined): SessionRepository | undefined {
  const path = (key: string) => fileUri(text(metadata, key));
  const workingDirectory = path('worktreePath') ?? folder ?? path('workingDirectoryPath');
  const uri = path('repositoryPath') ?? webUri(text(metadata, 'repositoryUrl')) ?? workingDirectory;
  if (uri === undefined) return undefined;
  const detail = text(metadata, 'branch');
  const baseBranchName = text(metadata, 'baseBranchName');
  const baseBranchProtected = metadata['baseBranchProtected'];
  return {
    uri,
    ...(workingDirectory !== undefined && { workingDirectory }),
    ...(detail !== undefined && { detail }),
    ...(baseBranchName !== undefined && { baseBranchName }),
    ...(typeof baseBranchProtected === 'boolean' && { baseBranchProtected }),
  };
}

function ownerAndName(metadata: SessionMetadata): readonly (string | undefined)[] {
  const [owner, name] = [text(metadata, 'owner'), text(metadata, 'name')];
  if (owner !== undefined && name !== undefined) return [owner, name];
  return /^([^/\s]+)\/([^/\s]+)$/.exec(text(metadata, 'repositoryNwo') ?? '')?.slice(1) ?? [];
}

function pullRequestOf(value: unknown): GitHubPullRequest | undefined {
  const { number, uri } = (value ?? {}) as Partial<GitHubPullRequest>;
  const isLink = typeof uri === 'string' && webUri(uri) !== undefined;
  return Number.isSafeInteger(number) && isLink ? { number: number as number, uri } : undefined;
}

function text(metadata: SessionMetadata, key: string): string | undefined {
  const value = metadata[key];
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function webUri(text: string | undefined): URI | undefined {
  return text !== undefined && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined;
}

/** An absolute path of any system as a `file:` URI, as far as that can be known on another system. */
function fileUri(path: string | undefined): URI | undefined {
  if (path === undefined) return undefined;
  const slashes = /^[A-Za-z]:[\\/]/.test(path) ? `/${path.replaceAll('\\', '/')}` : path;
  if (!slashes.startsWith('/')) return undefined;
  return `file://${encodeURI(slashes).replace(/[?#]/g, encodeURIComponent)}`;
}

function pathOf(uri: URI): string {
  const { pathname } = URL.canParse(uri) ? new URL(uri) : { pathname: uri };
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}
