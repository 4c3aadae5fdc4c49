import type { ActiveTurn } from '@agenthost/protocol';
import { useRef } from 'react';
import { useNow } from '../../app/useNow.js';
import { StatusGlyph } from '../../glyphs/StatusGlyph.js';
import { useChat } from '../chatContext.js';
import { roughly } from '../times.js';

const SILENT_MS = 3_000;
const STOP_FROM_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;

interface WaitingProps {
  readonly turn: ActiveTurn;
  /** What the agent says that it does right now, e.g. "Retrying, attempt 2". */
  readonly activity: string | undefined;
}

/**
 * "Waiting for Claude… 12 s": the agent reports nothing. Not while a call runs, which shows that itself, and not while the agent
 * waits for an answer of the user.
 */
export function Waiting({ turn, activity }: WaitingProps) {
  const { agentName, staleSince, stop } = useChat();
  const since = useLastChange(turn);
  const isAsking =
    Object.keys(turn.pendingPermissions).length > 0 ||
    Object.values(turn.toolCalls).some(({ status }) => status === 'pendingConfirmation' || status === 'running');
  const isWanted = !isAsking && staleSince === undefined;
  const now = useNow(isWanted);
  const silent = now - since;
  if (!isWanted || silent < SILENT_MS) return null;
  return (
    <div className="line now waiting">
      <StatusGlyph status="running" />
      <span className="grow num">
        Waiting for {agentName}… {roughly(silent)}
      </span>
      <span className="aux">{activity ?? heard(turn)}</span>
      {stop && silent >= STOP_FROM_MS && (
        <button type="button" className="btn plain sm" onClick={stop}>
          Stop
        </button>
      )}
    </div>
  );
}

function heard({ responseParts, earlierParts }: ActiveTurn): string {
  const last = responseParts.at(-1);
  if (!last && !earlierParts) return 'nothing heard since the message';
  return last?.kind === 'toolCall' ? 'nothing heard since the last tool' : 'nothing heard since then';
}

/** By this page's clock: when the turn last changed here. Before its first part it is the start of the turn, also after a reload. */
function useLastChange(turn: ActiveTurn): number {
  const last = useRef<{ turn: ActiveTurn; at: number }>(undefined);
  if (last.current?.turn !== turn) {
    const now = Date.now();
    const age = now - turn.startedAt;
    const isFresh = turn.responseParts.length === 0 && age >= 0 && age < DAY_MS;
    last.current = { turn, at: isFresh ? turn.startedAt : now };
  }
  return last.current.at;
}
