import type { FilesClient } from '@agenthost/client';
import type { ChangedFile, Role } from '@agenthost/protocol';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { permissionError } from '../app/permissionError.js';
import { pathOf } from '../conversation/relativePath.js';
import { FileLinks } from './fileLinks.js';
import type { FilesOfText } from './filesContext.js';
import type { FilePlace } from './pathText.js';

type WithoutSession<F> = F extends (session: string, ...args: infer A) => infer R ? (...args: A) => R : never;

/** The files of one session's folder. */
export interface SessionFolder {
  readonly list: WithoutSession<FilesClient['list']>;
  readonly read: WithoutSession<FilesClient['read']>;
  readonly find: WithoutSession<FilesClient['find']>;
  /** What differs from before the first turn; nothing where nothing can be compared. */
  readonly changes: () => Promise<readonly ChangedFile[]>;
  /** Calls back when files have changed. */
  readonly watch: (changed: () => void) => { dispose(): void };
}

interface ChatFiles {
  readonly folder: SessionFolder;
  /** Where it is, on the machine of its agent. */
  readonly folderUri: string;
  readonly text: FilesOfText;
  /** What is open; `{}` for the folder alone. A folder inside has a slash at its end. */
  readonly shown: Partial<FilePlace> | undefined;
  readonly open: (place?: FilePlace) => void;
  readonly close: () => void;
}

const MOST_CHANGES = 500;

/** Missing where there is no host, for roles that see no files, and while the session has no folder here. */
export function useChatFiles(
  host: PageHost | undefined,
  session: string,
  { role, folder: uri, turns }: { readonly role: Role; readonly folder: string | undefined; readonly turns: number },
): ChatFiles | undefined {
  const status = host?.provider.status;
  const [shown, setShown] = useState<Partial<FilePlace>>();
  const isAllowed = uri !== undefined && permissionError(role, 'readFile') === undefined;
  const folder = useMemo((): SessionFolder | undefined => {
    if (!status || !isAllowed) return undefined;
    return {
      list: (...args) => status.files.list(session, ...args),
      read: (...args) => status.files.read(session, ...args),
      find: (...args) => status.files.find(session, ...args),
      changes: () =>
        status.work.listChanges(session, { since: 'session', limit: MOST_CHANGES }).then(
          ({ files }) => files,
          () => [],
        ),
      watch: (changed) => {
        const watching = status.work.watchChanges(session);
        const following = watching.state.subscribe(changed);
        return {
          dispose: () => {
            following.dispose();
            watching.dispose();
          },
        };
      },
    };
  }, [status, session, isAllowed]);
  const links = useMemo(
    () =>
      folder && status ? new FileLinks(async (paths) => (await status.files.check(session, paths)).files) : undefined,
    [folder, status, session],
  );
  useEffect(() => () => links?.dispose(), [links]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a turn may have made files
  useEffect(() => links?.lookAgain(), [links, turns]);
  const open = useCallback((place?: FilePlace) => setShown(place ?? {}), []);
  const close = useCallback(() => setShown(undefined), []);
  const text = useMemo(() => links && { links, open }, [links, open]);
  return useMemo(
    () => (folder && text && uri ? { folder, folderUri: localUri(uri), text, shown, open, close } : undefined),
    [folder, uri, text, shown, open, close],
  );
}

/** Without the name of the place: agents know paths of their machine. */
function localUri(uri: string): string {
  return `file://${pathOf(uri).split('/').map(encodeURIComponent).join('/')}`;
}
