import type { FolderBrowser } from '@agenthost/sessions';
import { useEffect, useState } from 'react';
import { pathOf, placeIn } from '../conversation/relativePath.js';

const MOST = 8;
const AFTER_MS = 120;

export interface FolderOption {
  readonly uri: string;
  readonly name: string;
}

/** The folders whose path begins with what is typed. */
export function useFolderCompletion(
  folders: FolderBrowser,
  typed: string,
  uriOf: (path: string) => string | undefined,
  isWanted: boolean,
): readonly FolderOption[] {
  const [options, setOptions] = useState<readonly FolderOption[]>([]);
  const slash = typed.lastIndexOf('/');
  const parent = typed.slice(0, slash + 1);
  const begin = typed.slice(slash + 1).toLowerCase();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `uriOf` depends on the host alone
  useEffect(() => {
    setOptions([]);
    const uri = parent === '' ? undefined : uriOf(parent);
    if (!isWanted || uri === undefined) return;
    const stopped = new AbortController();
    const timer = setTimeout(() => {
      folders.list(uri, stopped.signal).then(
        (found) => {
          const fitting = found.filter(({ name }) => name.toLowerCase().startsWith(begin));
          if (!stopped.signal.aborted) setOptions(fitting.slice(0, MOST).map(({ uri, name }) => ({ uri, name })));
        },
        () => undefined,
      );
    }, AFTER_MS);
    return () => {
      clearTimeout(timer);
      stopped.abort();
    };
  }, [folders, parent, begin, isWanted]);
  return options;
}

/** The URI of a typed path, at the place of the folder that was chosen before; `undefined` if it is no path. */
export function typedFolder(path: string, before: string | undefined, home: string | undefined): string | undefined {
  const absolute = /^~(?=\/|$)/.test(path) && home !== undefined ? path.replace('~', pathOf(home)) : path;
  if (!absolute.startsWith('/')) return undefined;
  const names = absolute.split('/').filter((name) => name !== '' && name !== '.');
  const kept: string[] = [];
  for (const name of names) {
    if (name === '..') kept.pop();
    else kept.push(name);
  }
  return `file://${before === undefined ? '' : placeIn(before)}/${kept.map(encodeURIComponent).join('/')}`;
}
