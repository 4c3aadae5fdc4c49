import { Search } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import { problemText } from '../app/problemText.js';
import { Dialog } from './Dialog.js';

export interface PaletteEntry {
  readonly key: string;
  readonly group: 'Sessions' | 'Commands' | 'In messages';
  readonly label: string;
  readonly icon: ReactNode;
  readonly detail?: string;
  readonly keys?: string;
  readonly choose: () => void;
}

interface PaletteProps {
  /** Matches that are known here. */
  readonly find: (text: string) => readonly PaletteEntry[];
  /** Matches of the hosts; they are below, so that nothing moves before the user presses Enter. */
  readonly search: (text: string, signal: AbortSignal) => Promise<readonly PaletteEntry[]>;
  readonly onClose: () => void;
}

export function Palette({ find, search, onClose }: PaletteProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [found, setFound] = useState<readonly PaletteEntry[]>([]);
  const [problem, setProblem] = useState<string>();
  const [selected, setSelected] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const abort = new AbortController();
    setFound([]);
    search(text, abort.signal).then(
      (messages) => {
        if (abort.signal.aborted) return;
        setFound(messages);
        setProblem(undefined);
      },
      (error: unknown) => !abort.signal.aborted && setProblem(problemText(error)),
    );
    return () => abort.abort();
  }, [text, search]);
  const local = useMemo(() => find(text), [find, text]);
  const entries = [...local, ...found];
  useEffect(() => {
    list.current?.querySelectorAll('[role=option]')[selected]?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  const choose = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    onClose();
    entry.choose();
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setSelected((at) => Math.min(entries.length - 1, at + 1));
    else if (event.key === 'ArrowUp') setSelected((at) => Math.max(0, at - 1));
    else if (event.key === 'Enter') choose(entries[selected]);
    else return;
    event.preventDefault();
  };
  const query = text.replace(/^>/, '').trim();
  return (
    <Dialog label="Command palette" className="palette" onClose={onClose}>
      <div className="pal-in">
        <Search size={17} aria-hidden />
        <input
          autoFocus
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setSelected(0);
          }}
          onKeyDown={keyDown}
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}list`}
          aria-activedescendant={entries[selected] && `${id}option${selected}`}
          aria-label="Search sessions and commands"
          placeholder="Search sessions and commands"
        />
        <kbd>Esc</kbd>
      </div>
      <div className="pal-list" id={`${id}list`} role="listbox" aria-label="Results" ref={list}>
        {entries.map((entry, index) => (
          <PaletteRow
            key={entry.key}
            id={`${id}option${index}`}
            entry={entry}
            query={query}
            heading={entries[index - 1]?.group !== entry.group}
            selected={index === selected}
            onChoose={() => choose(entry)}
          />
        ))}
        {entries.length === 0 && (
          <p className="blank">{problem ?? (text === '' ? 'Type to search.' : `Nothing matches “${query}”.`)}</p>
        )}
      </div>
      <div className="pal-f" aria-hidden="true">
        <span>
          <kbd>↑</kbd>
          <kbd>↓</kbd> choose
        </span>
        <span>
          <kbd>↵</kbd> open
        </span>
        <span className="grow" />
        <span>
          Type <kbd>&gt;</kbd> for commands only
        </span>
      </div>
    </Dialog>
  );
}

interface PaletteRowProps {
  readonly id: string;
  readonly entry: PaletteEntry;
  readonly query: string;
  readonly heading: boolean;
  readonly selected: boolean;
  readonly onChoose: () => void;
}

function PaletteRow({ id, entry, query, heading, selected, onChoose }: PaletteRowProps) {
  return (
    <>
      {heading && (
        <div className="pal-g" role="presentation">
          {entry.group}
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys */}
      <div className="pal-i" id={id} role="option" aria-selected={selected} tabIndex={-1} onClick={onChoose}>
        {entry.icon}
        <span className="clip grow">
          <Found text={entry.label} query={query} />
        </span>
        {entry.detail && <span className="aux">{entry.detail}</span>}
        {entry.keys && <kbd>{entry.keys}</kbd>}
      </div>
    </>
  );
}

function Found({ text, query }: { readonly text: string; readonly query: string }) {
  const at = query === '' ? -1 : text.toLowerCase().indexOf(query.toLowerCase());
  if (at === -1) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + query.length)}</mark>
      {text.slice(at + query.length)}
    </>
  );
}
