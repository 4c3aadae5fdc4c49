import type { AttachedTerminal, SessionTerminals } from '@agenthost/client';
import type { SharedTerminal } from '@agenthost/protocol';
import { useEffect, useRef, useState } from 'react';
import { problemText } from '../app/problemText.js';
import { useNarrow } from '../app/useNarrow.js';
import { type OpenTerminal, openTerminal } from './openTerminal.js';

interface TerminalViewProps {
  readonly api: SessionTerminals;
  readonly info: SharedTerminal;
  readonly mayType: boolean;
  readonly isStale: boolean;
  /** Somebody else types, so nothing was typed. */
  readonly onRefused: () => void;
  readonly onAttached: (terminal: AttachedTerminal | undefined) => void;
  readonly onProblem: (text: string) => void;
  /** The size that this window has room for. */
  readonly onRoom: (size: OpenTerminal['size']) => void;
}

const ESC = '\u001b';
/** On a phone, above its keyboard. */
const KEYS = [
  ['Esc', ESC, 'Esc'],
  ['Tab', '\t', 'Tab'],
  ['Ctrl', undefined, 'Ctrl, for the next key'],
  ['↑', `${ESC}[A`, 'Up'],
  ['↓', `${ESC}[B`, 'Down'],
] as const;

/** One terminal, attached as long as it is shown. */
export function TerminalView({
  api,
  info,
  mayType,
  isStale,
  onRefused,
  onAttached,
  onProblem,
  onRoom,
}: TerminalViewProps) {
  const place = useRef<HTMLDivElement>(null);
  const screen = useRef<OpenTerminal>(undefined);
  const attached = useRef<AttachedTerminal>(undefined);
  const isNarrow = useNarrow();
  const [withControl, setWithControl] = useState(false);
  const control = useRef(false);
  control.current = withControl;
  const events = useRef({ onRefused, onAttached, onProblem, onRoom, mayType });
  events.current = { onRefused, onAttached, onProblem, onRoom, mayType };
  const { terminal: uri, title, columns, rows } = info;

  const type = useRef((data: string) => {
    if (!events.current.mayType) return;
    const typed = control.current ? asControl(data) : data;
    if (control.current) setWithControl(false);
    attached.current?.type(typed).then(
      (isTyped) => {
        if (!isTyped) events.current.onRefused();
      },
      (error: unknown) => events.current.onProblem(problemText(error)),
    );
  });

  useEffect(() => {
    const { current } = place;
    if (!current) return;
    let isOver = false;
    const opened = openTerminal(current, {
      label: `Terminal ${title}`,
      scrollback: 5_000,
      lineHeight: 1.15,
      takesTab: true,
      onInput: type.current,
      onResize: (size) => resize(size),
    });
    const resize = (size: OpenTerminal['size']) => {
      events.current.onRoom(size);
      if (events.current.mayType) attached.current?.resize(size).catch(() => undefined);
    };
    screen.current = opened;
    const attach = async () => {
      const terminal = await api.attach(uri, {
        onScreen: (text) => void opened.write(text),
        onOutput: (data) => opened.write(data),
      });
      if (isOver) return terminal.detach();
      attached.current = terminal;
      events.current.onAttached(terminal);
      resize(opened.size);
    };
    attach().catch((error: unknown) => {
      if (!isOver) events.current.onProblem(problemText(error));
    });
    opened.focus();
    return () => {
      isOver = true;
      attached.current?.detach();
      attached.current = undefined;
      events.current.onAttached(undefined);
      screen.current = undefined;
      opened.dispose();
    };
  }, [api, uri, title]);

  useEffect(() => screen.current?.setSize({ columns, rows }), [columns, rows]);
  useEffect(() => screen.current?.setReadOnly(!mayType), [mayType]);
  return (
    <>
      <div className="tscreen" ref={place} data-stale={isStale || undefined} data-terminal={uri} />
      {isNarrow && mayType && (
        <div className="tkeys" role="toolbar" aria-label="Keys">
          {KEYS.map(([label, data, name]) => (
            <button
              key={label}
              type="button"
              aria-label={name}
              aria-pressed={data === undefined ? withControl : undefined}
              onClick={() => {
                if (data === undefined) setWithControl(!withControl);
                else type.current(data);
                screen.current?.focus();
              }}
            >
              {label}
            </button>
          ))}
        </div>
      )}
    </>
  );
}

/** What Ctrl makes of a letter. */
function asControl(data: string): string {
  const code = data.toUpperCase().charCodeAt(0);
  return data.length === 1 && code >= 0x40 && code <= 0x5f ? String.fromCharCode(code & 0x1f) : data;
}
