import type { FindFilesResult } from '@agenthost/protocol';
import { useEffect, useState } from 'react';
import { problemText } from '../app/problemText.js';
import type { SessionFolder } from './useChatFiles.js';

interface FoundFiles {
  /** What these files were found for: an older query while the next is on its way. */
  readonly query: string;
  readonly result: FindFilesResult;
}

/** While somebody types. */
const PAUSE_MS = 60;

/** The files that match; nothing for `undefined`. */
export function useFoundFiles(folder: SessionFolder | undefined, query: string | undefined, limit: number) {
  const [found, setFound] = useState<FoundFiles>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    if (!folder || query === undefined) {
      setFound(undefined);
      return;
    }
    const stopped = new AbortController();
    const { signal } = stopped;
    const timer = setTimeout(() => {
      folder.find({ query, limit }, { signal }).then(
        (result) => {
          if (signal.aborted) return;
          setFound({ query, result });
          setProblem(undefined);
        },
        (error: unknown) => !signal.aborted && setProblem(problemText(error)),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stopped.abort();
    };
  }, [folder, query, limit]);
  return { found, problem };
}
