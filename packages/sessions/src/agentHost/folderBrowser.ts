import type { HostClient } from '@agenthost/client';
import type { BrowseDirectoryResult, DirectoryEntry, SessionSummary } from '@agenthost/protocol';
import type { SessionWorkspaceBrowseAction } from '../providers/sessionsProvider.js';
import type { SessionWorkspace, URI } from '../session.js';
import { folderUri } from '../workspace/folderUri.js';
import { locationOf } from '../workspace/workspaceOfMetadata.js';

const MAX_RECENT = 20;

/**
 * The folders of a host's machine, for a folder picker.
 *
 * @example
 * ```ts
 * const { folders } = new AgentHostProvider(host);
 * for (const { name } of await folders.list(folders.home ?? 'file:///')) console.log(name);
 * ```
 */
export class FolderBrowser {
  readonly #host: HostClient;
  readonly #newest: () => readonly SessionSummary[];

  constructor(host: HostClient, newest: () => readonly SessionSummary[]) {
    this.#host = host;
    this.#newest = newest;
  }

  /** Where the host suggests to begin; known when it was connected once. */
  get home(): URI | undefined {
    return this.#host.defaultDirectory;
  }

  /** Where sessions work that are known here, the last used first. Not where no machine is now. */
  recent(): readonly URI[] {
    const here = this.#newest().filter(({ metadata }) => !locationOf(metadata)?.isAway);
    const folders = here.flatMap((summary) => repositoryOf(summary) ?? this.of(summary) ?? []);
    return [...new Set(folders)].slice(0, MAX_RECENT);
  }

  /** Where a session works, for another one there. */
  of(summary: Pick<SessionSummary, 'metadata' | 'workingDirectory'>): URI | undefined {
    return folderUri(summary, this.#host.serverInfo?.place);
  }

  /** Folders, and links that may be some; those whose names begin with a dot come last. Rejects when there is no such folder, or it can't be read. */
  async list(uri: URI, signal?: AbortSignal): Promise<readonly DirectoryEntry[]> {
    const { entries } = await this.#host.browseDirectory(uri, { signal });
    const folders = entries.filter(({ type }) => type !== 'file');
    const isHidden = ({ name }: DirectoryEntry) => name.startsWith('.');
    return [...folders.filter((entry) => !isHidden(entry)), ...folders.filter(isHidden)];
  }

  /** Whether the user has to trust something before a new session of that agent works in the folder. Rejects as `list` does. */
  async requiresTrust(uri: URI, agent: string, signal?: AbortSignal): Promise<boolean> {
    const { untrustedFolder } = await this.#host.browseDirectory(uri, { provider: agent, signal });
    return untrustedFolder !== undefined;
  }

  /** What git has checked out there; `undefined` if it is in no checkout. Rejects as `list` does. */
  async checkout(uri: URI, signal?: AbortSignal): Promise<BrowseDirectoryResult['checkout']> {
    return (await this.#host.browseDirectory(uri, { signal })).checkout;
  }

  /** `undefined` for a root. */
  parent(uri: URI): URI | undefined {
    const { href } = new URL('..', uri.endsWith('/') ? uri : `${uri}/`);
    const parent = /^file:\/\/[^/]*\/./.test(href) ? href.replace(/\/$/, '') : href;
    return parent === uri || `${parent}/` === uri ? undefined : parent;
  }
}

/** The next session begins where this one's worktree was made from, not in the worktree. */
function repositoryOf({ metadata }: SessionSummary): URI | undefined {
  const path = metadata?.['isolation'] === 'worktree' ? metadata['repositoryPath'] : undefined;
  return typeof path === 'string' && path.startsWith('/') ? `file://${encodeURI(path)}` : undefined;
}

/** "Folders", in a picker of workspaces. */
export function foldersAction(
  providerId: string,
  pick: () => Promise<URI | undefined>,
  resolve: (uri: URI) => SessionWorkspace,
): SessionWorkspaceBrowseAction {
  return {
    label: 'Folders',
    icon: 'folder',
    providerId,
    run: async () => {
      const picked = await pick();
      return picked === undefined ? undefined : resolve(picked);
    },
  };
}
