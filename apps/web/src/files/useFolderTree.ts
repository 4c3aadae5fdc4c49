import type { FolderEntry } from '@agenthost/protocol';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { problemText } from '../app/problemText.js';
import type { SessionFolder } from './useChatFiles.js';

export interface TreeRow {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  /** `more`: the rest of a folder. `note`: why there is nothing. */
  readonly kind: 'file' | 'folder' | 'other' | 'more' | 'note';
  readonly isOpen: boolean;
}

interface ReadFolder {
  readonly entries: readonly FolderEntry[];
  readonly nextCursor?: string | undefined;
  readonly problem?: string | undefined;
}

const PAGE = 200;

/** The folders that are open, as rows. `shown` is a file whose folders are opened. */
export function useFolderTree(folder: SessionFolder, shown: string | undefined) {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(['']));
  const [read, setRead] = useState<ReadonlyMap<string, ReadFolder>>(new Map());
  const loading = useRef(new Set<string>());
  const load = useCallback(
    (path: string, cursor?: string) => {
      if (loading.current.has(path)) return;
      loading.current.add(path);
      folder
        .list({ limit: PAGE, ...(path !== '' && { path }), ...(cursor !== undefined && { cursor }) })
        .then(
          ({ entries, nextCursor }) =>
            setRead((before) => {
              const earlier = cursor === undefined ? [] : (before.get(path)?.entries ?? []);
              return new Map(before).set(path, { entries: [...earlier, ...entries], nextCursor });
            }),
          (error: unknown) =>
            setRead((before) => new Map(before).set(path, { entries: [], problem: problemText(error) })),
        )
        .finally(() => loading.current.delete(path));
    },
    [folder],
  );
  useEffect(() => {
    for (const path of open) if (!read.has(path)) load(path);
  }, [open, read, load]);
  useEffect(() => {
    if (shown === undefined) return;
    setOpen((before) => new Set([...before, ...foldersAbove(shown)]));
  }, [shown]);
  const opened = useRef(open);
  opened.current = open;
  // When files have changed, what is open is read again, and stays until then; the others are read when they are opened.
  useEffect(() => {
    const watching = folder.watch(() => {
      setRead((before) => new Map([...before].filter(([path]) => opened.current.has(path))));
      for (const path of opened.current) load(path);
    });
    return () => watching.dispose();
  }, [folder, load]);
  const rows = useMemo(() => {
    const all: TreeRow[] = [];
    const add = (path: string, depth: number): void => {
      const found = read.get(path);
      const note = (name: string) => all.push({ path, name, depth, kind: 'note', isOpen: false });
      if (!found) return;
      if (found.problem !== undefined) note(found.problem);
      else if (found.entries.length === 0) note('This folder is empty.');
      for (const entry of found.entries) {
        const inside = path === '' ? entry.name : `${path}/${entry.name}`;
        const kind = kindOf(entry);
        const isOpen = kind === 'folder' && open.has(inside);
        all.push({ path: inside, name: entry.name, depth, kind, isOpen });
        if (isOpen) add(inside, depth + 1);
      }
      if (found.nextCursor !== undefined) all.push({ path, name: 'Show more', depth, kind: 'more', isOpen: false });
    };
    add('', 0);
    return all;
  }, [read, open]);
  const toggle = useCallback((path: string, isOn: boolean) => {
    setOpen((before) => {
      const next = new Set(before);
      if (isOn) next.add(path);
      else next.delete(path);
      return next;
    });
  }, []);
  const more = useCallback((path: string) => load(path, read.get(path)?.nextCursor), [load, read]);
  return { rows, toggle, more, isLoading: !read.has('') };
}

function kindOf({ type, leadsTo }: FolderEntry): TreeRow['kind'] {
  const kind = type === 'link' ? leadsTo : type;
  return kind === 'file' || kind === 'folder' ? kind : 'other';
}

/** The folders that a path is in, the outermost first. */
function foldersAbove(path: string): readonly string[] {
  const folders = [''];
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at));
  return folders;
}
