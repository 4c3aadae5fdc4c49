import type { CheckedFile } from '@agenthost/protocol';
import { createContext, useContext, useEffect, useMemo, useSyncExternalStore } from 'react';
import type { FileLinks } from './fileLinks.js';
import { type FilePlace, placeIn } from './pathText.js';

/** What a text needs to lead to files. */
export interface FilesOfText {
  readonly links: FileLinks;
  readonly open: (place: FilePlace) => void;
}

const Context = createContext<FilesOfText | undefined>(undefined);
/** Without a value nothing is a link: outside of a conversation, for roles that see no files, and inside of other links. */
export const FilesProvider = Context.Provider;

interface NamedFile extends CheckedFile {
  readonly line?: number | undefined;
  readonly open: () => void;
}

const never = () => () => {};

/** The file that a text names, once the host has said that there is one. */
export function useFile(text: string | undefined): NamedFile | undefined {
  const files = useContext(Context);
  const place = useMemo(() => (files && text !== undefined ? placeIn(text) : undefined), [files, text]);
  const links = files?.links;
  const path = place?.path;
  const round = useSyncExternalStore(links?.subscribe ?? never, () => links?.round);
  const found = useSyncExternalStore(links?.subscribe ?? never, () =>
    path === undefined ? undefined : links?.get(path),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: in each round again
  useEffect(() => {
    if (path !== undefined) links?.want(path);
  }, [links, path, round]);
  if (!files || !found || found.found === '') return undefined;
  const line = found.type === 'file' ? place?.line : undefined;
  const opened = found.type === 'file' ? found.found : `${found.found}/`;
  return { ...found, line, open: () => files.open({ path: opened, line }) };
}
