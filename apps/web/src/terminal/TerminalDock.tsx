import type { AttachedTerminal } from '@agenthost/client';
import type { SharedTerminal } from '@agenthost/protocol';
import { ChevronDown, Maximize2, Minimize2, Plus } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { ownIds } from '../app/ownIds.js';
import type { PagePlace } from '../app/pagePlace.js';
import { permissionError } from '../app/permissionError.js';
import { problemText } from '../app/problemText.js';
import { useObservable } from '../app/useObservable.js';
import { authorName, initials } from '../conversation/authorName.js';
import { AskDialog } from '../overlays/AskDialog.js';
import { HeightHandle } from './HeightHandle.js';
import { TerminalTab } from './TerminalTab.js';
import { TerminalView } from './TerminalView.js';
import { keepHeight, type PageTerminals, readHeight } from './useTerminals.js';
import './terminalDock.css';

interface TerminalDockProps {
  readonly place: PagePlace;
  readonly session: string;
  readonly terminals: PageTerminals;
}

const NEW_SIZE = { columns: 80, rows: 24 };
const USUAL_HEIGHT = 376;

/** The terminals of a session, below its conversation. */
export function TerminalDock({ place, session, terminals: { api, items, toggle } }: TerminalDockProps) {
  const me = useObservable(ownIds);
  const role = useObservable(place.role);
  const staleSince = useObservable(place.staleSince);
  const [wanted, setWanted] = useState<string>();
  const [asksToClose, setAsksToClose] = useState<SharedTerminal>();
  const [problem, setProblem] = useState<string>();
  const [height, setHeight] = useState(() => readHeight(session) ?? USUAL_HEIGHT);
  const [room, setRoom] = useState(NEW_SIZE);
  const [isFull, setFull] = useState(false);
  const [attached, setAttached] = useState<AttachedTerminal>();
  const shown = items.find(({ terminal }) => terminal === wanted) ?? items[0];
  const mayType = permissionError(role, 'sendToTerminal') === undefined;
  const fail = (error: unknown) => setProblem(problemText(error));

  const start = () => {
    setProblem(undefined);
    api.start(NEW_SIZE).then(({ terminal }) => setWanted(terminal), fail);
  };
  // Whoever shows the panel of a session without terminals wants one.
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current || !mayType) return;
    begun.current = true;
    api.list().then((found) => {
      if (found.length === 0) start();
    }, fail);
  });

  const close = (terminal: SharedTerminal) => {
    if (terminal.exitCode === undefined) setAsksToClose(terminal);
    else api.close(terminal.terminal).catch(fail);
  };
  const typist = shown?.exitCode === undefined ? shown?.keyboard : undefined;
  const isMine = typist !== undefined && me.has(typist.by.clientId);
  const isTheirs = typist?.isTyping === true && !isMine;
  const taken = useTaken(shown, me);
  const isOwnSize = shown?.columns === room.columns && shown.rows === room.rows;
  return (
    <section className={isFull ? 'tdock full' : 'tdock'} aria-label="Terminals" style={{ height }}>
      <HeightHandle
        height={height}
        onHeight={(next) => {
          setHeight(next);
          keepHeight(session, next);
        }}
      />
      <div className="tabs">
        <div className="tablist" role="tablist" aria-label="Terminals">
          {items.map((terminal) => (
            <TerminalTab
              key={terminal.terminal}
              terminal={terminal}
              isSelected={terminal === shown}
              onSelect={() => setWanted(terminal.terminal)}
              onMove={(step) => setWanted(items.at((items.indexOf(terminal) + step) % items.length)?.terminal)}
              onClose={mayType ? () => close(terminal) : undefined}
            />
          ))}
        </div>
        {mayType && (
          <button type="button" className="ib sm" aria-label="New terminal" title="New terminal" onClick={start}>
            <Plus size={15} aria-hidden />
          </button>
        )}
        <span className="grow" />
        <span className="who" role="status">
          {isTheirs && (
            <>
              <span className="ava small" aria-hidden="true">
                {initials(authorName(typist.by, me).name)}
              </span>
              <span className="clip">
                <b>{authorName(typist.by, me).name}</b> is typing
              </span>
            </>
          )}
          {taken !== undefined && !isTheirs && <span className="clip">{taken}</span>}
        </span>
        {isTheirs && mayType && (
          <button
            type="button"
            className="btn plain sm"
            onClick={() => {
              attached?.takeKeyboard().catch(fail);
              document.querySelector<HTMLElement>('.tdock textarea')?.focus();
            }}
          >
            Take the keyboard
          </button>
        )}
        <button
          type="button"
          className="ib sm fill"
          aria-label="Fill the window"
          title="Fill the window"
          aria-pressed={isFull}
          onClick={() => setFull(!isFull)}
        >
          {isFull ? <Minimize2 size={14} aria-hidden /> : <Maximize2 size={14} aria-hidden />}
        </button>
        <button
          type="button"
          className="ib sm"
          aria-label="Hide terminals"
          title="Hide terminals (Ctrl `)"
          onClick={toggle}
        >
          <ChevronDown size={15} aria-hidden />
        </button>
      </div>
      {problem !== undefined && (
        <p className="tproblem" role="alert">
          {problem}
        </p>
      )}
      {shown ? (
        <TerminalView
          key={shown.terminal}
          api={api}
          info={shown}
          mayType={mayType && shown.exitCode === undefined}
          isStale={staleSince !== undefined}
          onRefused={() => undefined}
          onAttached={setAttached}
          onProblem={setProblem}
          onRoom={setRoom}
        />
      ) : (
        <p className="tnone">{mayType ? 'Starting a shell…' : 'No terminal is open in this session.'}</p>
      )}
      <div className="tfoot">
        <span className="clip">{footText(shown, isOwnSize, mayType, staleSince)}</span>
        <span className="grow" />
        <span className="note">Nothing in it is stored</span>
        <span className="note">
          <kbd>Ctrl</kbd> <kbd>`</kbd> hides it
        </span>
      </div>
      {asksToClose && (
        <AskDialog
          title={`Close ${asksToClose.title}?`}
          text="Its shell is still running. It ends for everybody, with everything that was started in it."
          confirm="Close"
          danger
          onConfirm={() => api.close(asksToClose.terminal)}
          onClose={() => setAsksToClose(undefined)}
        />
      )}
    </section>
  );
}

function footText(
  shown: SharedTerminal | undefined,
  isOwnSize: boolean,
  mayType: boolean,
  staleSince: number | undefined,
): string {
  if (staleSince !== undefined) {
    return `Reconnecting, last heard ${new Date(staleSince).toLocaleTimeString(undefined, { hour12: false })}`;
  }
  if (!shown) return '';
  if (shown.exitCode !== undefined) return `The shell has ended, exit ${shown.exitCode}`;
  const whose = isOwnSize ? 'the size of this window' : 'the size of who typed last';
  const size = `${shown.columns} × ${shown.rows}, ${whose}`;
  return mayType ? size : `You can watch, not type · ${size}`;
}

/** Who has taken the keyboard from this page, for a while. */
function useTaken(shown: SharedTerminal | undefined, me: ReadonlySet<string>): string | undefined {
  const [taken, setTaken] = useState<string>();
  const was = useRef<{ readonly terminal: string; readonly isMine: boolean }>(undefined);
  useEffect(() => {
    if (!shown) return;
    const isMine = me.has(shown.keyboard.by.clientId);
    const before = was.current;
    was.current = { terminal: shown.terminal, isMine };
    if (before?.terminal !== shown.terminal || !before.isMine || isMine) return;
    setTaken(`${authorName(shown.keyboard.by, me).name} has taken the keyboard`);
  }, [shown, me]);
  return shown && me.has(shown.keyboard.by.clientId) ? undefined : taken;
}
