import { useEffect, useState } from 'react';
import { problemText } from '../app/problemText.js';
import { useServices } from '../app/services.js';

const SEARCH_AFTER_MS = 150;

/** The hosts find words in messages: these sessions are listed too, with the text around the words. */
export function useSearch(text: string, onProblem: (problem: string | undefined) => void): ReadonlyMap<string, string> {
  const { management, list } = useServices();
  const [found, setFound] = useState<ReadonlyMap<string, string>>(new Map());
  // biome-ignore lint/correctness/useExhaustiveDependencies: one search for each text
  useEffect(() => {
    if (text.trim() === '') {
      setFound(new Map());
      list.setFound([]);
      return;
    }
    const abort = new AbortController();
    const search = async () => {
      const { results, failures } = await management.searchSessions(text, { signal: abort.signal });
      if (abort.signal.aborted) return;
      const snippets = results.flatMap(({ session, snippet }) =>
        snippet === undefined ? [] : [[session.sessionId, snippet] as const],
      );
      setFound(new Map(snippets));
      list.setFound(results.map(({ session }) => session.sessionId));
      onProblem(failures.length > 0 ? problemText(failures[0]) : undefined);
    };
    const timer = setTimeout(() => {
      search().catch((error: unknown) => !abort.signal.aborted && onProblem(problemText(error)));
    }, SEARCH_AFTER_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);
  return found;
}
