import './devices.css';
import type { AuditEntry } from '@agenthost/protocol';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { permissionError } from '../app/permissionError.js';
import { problemText } from '../app/problemText.js';
import { useNow } from '../app/useNow.js';
import { useObservable } from '../app/useObservable.js';
import { Problem } from '../controls/Problem.js';
import { ago } from '../conversation/times.js';

const PAGE = 50;

/** Who did what, when, from which device. */
export function ActivitySettings({ host }: { readonly host: PageHost }) {
  const refusal = permissionError(useObservable(host.role), 'fetchAudit');
  const { entries, hasMore, problem, more } = useAudit(host, refusal === undefined);
  const now = useNow(true, 10_000);
  return (
    <section className="setp" aria-label="Activity">
      <header>
        <div className="grow">
          <h3>Activity</h3>
          <p>Who did what on {host.name}, the newest first.</p>
        </div>
      </header>
      <Problem text={problem} />
      {refusal !== undefined && <p className="why">{refusal}</p>}
      {entries && (
        <ul className="rows">
          {entries.map((entry, index) => (
            <li className="dr" key={index}>
              <div className="grow">
                <b className="clip" title={sentence(entry)}>
                  {sentence(entry)}
                </b>
                <small className="clip">{about(entry, now)}</small>
              </div>
            </li>
          ))}
        </ul>
      )}
      {entries?.length === 0 && !hasMore && <p className="why">Nothing is recorded yet.</p>}
      {hasMore && (
        <button type="button" className="btn sm" onClick={more}>
          Show older
        </button>
      )}
    </section>
  );
}

function sentence({ by, text, count }: AuditEntry): string {
  const times = count !== undefined && count > 1 ? ` (${count} times)` : '';
  const all = by ? `${by.name} ${text}` : text;
  return `${all.charAt(0).toUpperCase()}${all.slice(1)}${times}`;
}

function about({ at, by, from, host }: AuditEntry, now: number): string {
  return [ago(at, now), by?.device, by?.role, from, host].filter(Boolean).join(', ');
}

function useAudit({ devices }: PageHost, wanted: boolean) {
  const [entries, setEntries] = useState<readonly AuditEntry[]>();
  const [next, setNext] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const isAsking = useRef(false);
  const fetch = useCallback(
    async (before: string | undefined, signal?: AbortSignal) => {
      if (isAsking.current) return;
      isAsking.current = true;
      try {
        const found: AuditEntry[] = [];
        let cursor = before;
        // A page may be empty although older ones are not.
        do {
          const page = await devices.fetchAudit(
            { limit: PAGE, ...(cursor !== undefined && { before: cursor }) },
            signal && { signal },
          );
          found.push(...page.items);
          cursor = page.nextCursor;
        } while (cursor !== undefined && found.length === 0);
        setEntries((old) => (before === undefined ? found : [...(old ?? []), ...found]));
        setNext(cursor);
        setProblem(undefined);
      } catch (error) {
        if (!signal?.aborted) setProblem(problemText(error));
      } finally {
        isAsking.current = false;
      }
    },
    [devices],
  );
  useEffect(() => {
    if (!wanted) return;
    const abort = new AbortController();
    void fetch(undefined, abort.signal);
    return () => abort.abort();
  }, [fetch, wanted]);
  return { entries, hasMore: next !== undefined, problem, more: () => void fetch(next) };
}
