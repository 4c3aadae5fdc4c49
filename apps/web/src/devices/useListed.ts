import type { CommandOptions } from '@agenthost/client';
import { useCallback, useEffect, useState } from 'react';
import { problemText } from '../app/problemText.js';

/** How often the list is fetched again: what it has comes and goes, and other owners change it. */
const LOOK_MS = 3_000;

/** A list of a host, up to date while it is shown. `list` stays the same function. */
export function useListed<T>(list: (options: CommandOptions) => Promise<T>, wanted: boolean) {
  const [listed, setListed] = useState<T>();
  const [problem, setProblem] = useState<string>();
  const [lost, setLost] = useState<string>();
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round fetches the list again
  useEffect(() => {
    if (!wanted) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      try {
        const found = await list({ signal: abort.signal });
        setListed(() => found);
        setLost(undefined);
      } catch (error) {
        if (!abort.signal.aborted) setLost(problemText(error));
      }
      if (!abort.signal.aborted) timer = setTimeout(() => void look(), LOOK_MS);
    };
    void look();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [list, wanted, round]);
  const attempt = useCallback((work: Promise<unknown>) => {
    work
      .then(
        () => setProblem(undefined),
        (error: unknown) => setProblem(problemText(error)),
      )
      .finally(() => setRound((count) => count + 1));
  }, []);
  return { listed, problem: problem ?? lost, attempt };
}
