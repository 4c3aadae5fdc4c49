/** What a provider knows about where a session works. The keys are those of the metadata contract; others are ignored. */
export type SessionMetadata = Readonly<Record<string, unknown>>;

export const UNKNOWN_WORKSPACE = 'Unknown';

/**
 * The label that the list groups by, from the first of nine sources that says anything; `undefined` when none does.
 * Values are other people's, so anything that is no text says nothing.
 */
export function workspaceLabel(metadata: SessionMetadata = {}, badge?: string): string | undefined {
  const text = (key: string): string | undefined => nonEmpty(metadata[key]);
  for (const source of SOURCES) {
    const label = nonEmpty(source(text, badge));
    if (label !== undefined) return label;
  }
  return undefined;
}

type Source = (text: (key: string) => string | undefined, badge: string | undefined) => string | undefined;

const SOURCES: readonly Source[] = [
  (text) => {
    const [host, path] = [text('remoteAgentHost'), text('workingDirectoryPath')];
    return host !== undefined && path !== undefined ? `${baseName(path)} [${host}]` : undefined;
  },
  (text) => (text('owner') !== undefined ? text('name') : undefined),
  (text) => repositoryName(text('repositoryNwo')),
  (text) => repositoryName(text('repository')),
  (text) => repositoryName(text('repositoryUrl')),
  (text) => baseName(text('repositoryPath')),
  (text) => baseName(text('worktreePath')),
  (text) => baseName(text('workingDirectoryPath')),
  (_, badge) => badgeLabel(badge),
];

/** `owner/repo`, or the address of a remote in any of git's ways of writing one. */
function repositoryName(address: string | undefined): string | undefined {
  const path = address?.replace(/[?#].*$/, '').replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
  return baseName(path?.replace(/^[^/]*:/, ''))?.replace(/\.git$/, '');
}

/** The last part of a path of any system; the path itself when it is a root. `git clone .` leaves an origin that ends in a dot. */
function baseName(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  return path.split(/[\\/]/).findLast((part) => part !== '' && part !== '.') ?? path;
}

/** A badge may begin with icons, e.g. "$(repo) agenthost", and may be a path or owner/repo. */
function badgeLabel(badge: string | undefined): string | undefined {
  return repositoryName(nonEmpty(badge?.replace(/\$\([^)]*\)/g, '')));
}

function nonEmpty(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const trimmed = value.trim();
  return trimmed === '' ? undefined : trimmed;
}
