import type { NativeSession } from '@agenthost/protocol';
import { ChevronDown, ChevronRight, Lock, SquareTerminal } from 'lucide-react';
import { useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { currentRoute, goTo } from '../app/route.js';
import { useNow } from '../app/useNow.js';
import { useObservable } from '../app/useObservable.js';
import { shortAge } from '../conversation/times.js';
import { StatusGlyph } from '../glyphs/StatusGlyph.js';
import { useNativeSessions } from './useNativeSessions.js';

const OPENED = 'agenthost.nativeGroup';
const FEW = 3;
const MORE = 50;

/** The last group of the list: what was begun in terminals of a host. Folded until it is first opened. */
export function NativeGroup({ host, isOnly }: { readonly host: PageHost; readonly isOnly: boolean }) {
  const [isOpen, setOpen] = useState(() => localStorage.getItem(OPENED) === 'open');
  const [limit, setLimit] = useState(FEW);
  const found = useNativeSessions(host, limit, isOpen);
  const route = useObservable(currentRoute);
  const now = useNow(isOpen, 10_000);
  const unreadable = found?.unreadable ?? [];
  if (!found || (found.items.length === 0 && unreadable.length === 0)) return null;
  const older = found.total - found.items.length;
  const toggle = () => {
    localStorage.setItem(OPENED, isOpen ? 'folded' : 'open');
    setOpen(!isOpen);
  };
  return (
    <section className="native" aria-label="From your terminal">
      <button type="button" className="group-h" aria-expanded={isOpen} onClick={toggle}>
        {isOpen ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
        <b>From your terminal</b>
        {!isOnly && <span className="host">{host.name}</span>}
        <span className="grow" />
        <span className="num">{found.total}</span>
      </button>
      {isOpen && (
        <div className="native-rows">
          {found.items.map((item) => (
            <NativeRow
              key={item.id}
              item={item}
              now={now}
              isCurrent={route.view === 'native' && route.id === item.id && route.host === host.id}
              onOpen={() => goTo({ view: 'native', host: host.id, id: item.id })}
            />
          ))}
          {found.nextCursor !== undefined && limit < 500 && (
            <button
              type="button"
              className="btn quiet sm"
              onClick={() => setLimit(limit === FEW ? MORE : limit + MORE)}
            >
              {older > 0 ? `${older} older` : 'Older'}
            </button>
          )}
          {unreadable.map(({ count, reason }) => (
            <p key={reason} className="blank">
              {count === 1 ? "1 session couldn't be read." : `${count} sessions couldn't be read.`} {reason}
            </p>
          ))}
        </div>
      )}
    </section>
  );
}

interface NativeRowProps {
  readonly item: NativeSession;
  readonly now: number;
  readonly isCurrent: boolean;
  readonly onOpen: () => void;
}

function NativeRow({ item, now, isCurrent, onOpen }: NativeRowProps) {
  const { title, agentName, modifiedAt, workingDirectory, isBusy } = item;
  return (
    <button type="button" className="row" aria-current={isCurrent} onClick={onOpen}>
      {isBusy ? (
        <StatusGlyph status="running" className="st" />
      ) : (
        <SquareTerminal size={14} className="st" aria-hidden />
      )}
      <span className="l1">
        <span className="title clip grow">{title}</span>
        <span className="when">{shortAge(modifiedAt, now)}</span>
      </span>
      <span className="l2">
        <span className="act grow">
          <span className="clip">
            {agentName}
            {workingDirectory !== undefined && `, ${lastName(workingDirectory)}`}
          </span>
        </span>
        <span className="native-lock">
          <Lock size={12} aria-hidden />
          read only
        </span>
      </span>
    </button>
  );
}

/** The name of a folder, for a list. */
export function lastName(uri: string): string {
  const path = uri.replace(/\/+$/, '');
  const name = path.slice(path.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(name) || '/';
  } catch {
    return name;
  }
}
