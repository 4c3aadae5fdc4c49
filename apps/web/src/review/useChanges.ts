import type { ChangedFile, ChangesSince, FetchDiffResult, ListChangesResult, SessionState } from '@agenthost/protocol';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { problemText } from '../app/problemText.js';
import { useObservable } from '../app/useObservable.js';
import { reportedChanges } from './reportedChanges.js';

export type DiffPage = Pick<FetchDiffResult, 'kind' | 'hunks' | 'nextCursor' | 'oldSize' | 'newSize'>;

export interface ChangeLists {
  readonly lists: Readonly<Partial<Record<ChangesSince, ListChangesResult>>>;
  /** Why there is nothing to compare. */
  readonly problem: string | undefined;
  /** What the agent says it changed: the only source without git. */
  readonly isReported: boolean;
  readonly isConnected: boolean;
  readonly more: (since: ChangesSince) => Promise<void>;
  readonly fetchDiff: (list: ListChangesResult, file: ChangedFile, cursor?: number) => Promise<DiffPage>;
  readonly reload: () => void;
}

const KINDS: readonly ChangesSince[] = ['session', 'lastTurn', 'base'];
const PAGE = 200;
const PAUSE_MS = 150;

/** The changes of a session as the host's git sees them; they follow the folder. */
export function useChanges(host: PageHost, session: string, state: SessionState | undefined): ChangeLists {
  const { status } = host.provider;
  const isConnected = useObservable(host.connection).state === 'connected';
  const [lists, setLists] = useState<ChangeLists['lists']>({});
  const [problem, setProblem] = useState<string>();
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const watching = status.watchWork(session, () => {
      clearTimeout(timer);
      timer = setTimeout(reload, PAUSE_MS);
    });
    return () => {
      clearTimeout(timer);
      watching.dispose();
    };
  }, [status, session, reload]);
  const turns = state?.turns.length ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are read again for each round, and after each turn
  useEffect(() => {
    if (!isConnected) return;
    const stopped = new AbortController();
    const { signal } = stopped;
    void (async () => {
      for (const since of KINDS) {
        const list = await status.work.listChanges(session, { since, limit: PAGE }, { signal });
        if (signal.aborted) return;
        setLists((before) => (isSame(before[since], list) ? before : { ...before, [since]: list }));
      }
      setProblem(undefined);
    })().catch((error: unknown) => {
      if (!signal.aborted) setProblem(problemText(error));
    });
    return () => stopped.abort();
  }, [status, session, isConnected, round, turns]);

  const reported = useMemo(() => reportedChanges(state), [state]);
  const own = lists.session;
  const isReported =
    reported.list.total > 0 &&
    (own ? !own.hasSnapshots && own.total === 0 && (lists.base?.total ?? 0) === 0 : problem !== undefined);
  const latest = useRef(lists);
  latest.current = lists;
  const more = useCallback(
    async (since: ChangesSince) => {
      const list = latest.current[since];
      if (list?.nextCursor === undefined) return;
      const next = await status.work.listChanges(session, { since, limit: PAGE, cursor: list.nextCursor });
      const { nextCursor: _, ...before } = list;
      const files = [...list.files, ...next.files];
      setLists((now) =>
        now[since] === list
          ? {
              ...now,
              [since]: { ...before, files, ...(next.nextCursor !== undefined && { nextCursor: next.nextCursor }) },
            }
          : now,
      );
    },
    [status, session],
  );
  const fetchDiff = useCallback(
    async (list: ListChangesResult, { path }: ChangedFile, cursor?: number): Promise<DiffPage> => {
      if (list === reported.list) return { kind: 'text', hunks: reported.hunks.get(path) ?? [] };
      const { from, to } = list;
      return status.work.fetchDiff(session, { path, from, to, ...(cursor !== undefined && { cursor }) });
    },
    [status, session, reported],
  );
  return {
    lists: isReported ? { session: reported.list } : lists,
    problem: isReported ? undefined : problem,
    isReported,
    isConnected,
    more,
    fetchDiff,
    reload,
  };
}

function isSame(before: ListChangesResult | undefined, now: ListChangesResult): boolean {
  return before !== undefined && before.from === now.from && before.to === now.to && before.head === now.head;
}
