import {
  type ChangedFile,
  type ChangesComparison,
  type ChangesState,
  parseSessionUri,
  type URI,
} from '@agenthost/protocol';
import type { AhpChangeset, AhpChangesetFile, AhpFileSide } from '../types.js';
import { sideOf } from './fileEdits.js';

/** A file as it was before the changes of a session, or as it is now. */
export interface FileVersion {
  readonly session: URI;
  readonly path: string;
  readonly side: 'old' | 'new';
  /** Of the old side the tree, of the new one the content: another one means that there is something else now. */
  readonly revision: string;
}

const SCHEME = 'agenthost-version:';

function versionUri({ session, path, side, revision }: FileVersion): URI {
  return `${SCHEME}${session}?${new URLSearchParams({ side, revision, path })}`;
}

export function parseVersionUri(uri: URI): FileVersion | undefined {
  if (!uri.startsWith(SCHEME)) return undefined;
  const at = uri.indexOf('?');
  const session = uri.slice(SCHEME.length, at);
  const query = new URLSearchParams(uri.slice(at + 1));
  const [side, path, revision] = [query.get('side'), query.get('path'), query.get('revision')];
  if (at < 0 || !parseSessionUri(session) || !path || revision === null) return undefined;
  return side === 'old' || side === 'new' ? { session, path, side, revision } : undefined;
}

/** What differs since the session began, if git knows it. */
export function sinceBeginning({ comparisons, problem, hasSnapshots }: ChangesState): ChangesComparison | undefined {
  return problem || !hasSnapshots ? undefined : comparisons.find(({ since }) => since === 'session');
}

/** Of what git says differs: files whose contents before and after can be read as a whole. */
export function changesetOfFolder(session: URI, folder: URI, comparison: ChangesComparison): AhpChangeset {
  const files = comparison.files.flatMap((file) => (file.kind ? [] : [fileOf(session, folder, comparison.from, file)]));
  return { status: 'ready', files };
}

/** A link or a submodule has no contents to compare. */
function fileOf(session: URI, folder: URI, from: string, file: ChangedFile): AhpChangesetFile {
  const { path, oldPath = path, status, id, additions = 0, deletions = 0 } = file;
  const side = (which: FileVersion['side'], name: string, revision: string): AhpFileSide =>
    sideOf(uriIn(folder, name), { uri: versionUri({ session, path, side: which, revision }) });
  return {
    id: uriIn(folder, path),
    edit: {
      ...(status !== 'A' && { before: side('old', oldPath, from) }),
      ...(status !== 'D' && { after: side('new', path, id ?? '') }),
      diff: { added: additions, removed: deletions },
    },
  };
}

/** The address of a file in a folder. */
export function uriIn(folder: URI, path: string): URI {
  return `${folder.replace(/\/$/, '')}/${path.split('/').map(encodeURIComponent).join('/')}`;
}
