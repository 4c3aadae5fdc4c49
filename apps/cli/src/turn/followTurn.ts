import type { HostClient, SessionHandle } from '@agenthost/client';
import type { ActiveTurn, SessionState, Turn } from '@agenthost/protocol';
import { CommandError, EXIT } from '../commandError.js';

/** How long a lost host may be away before the command stops waiting. */
const MAX_AWAY_MS = 60_000;

export interface FollowOptions {
  readonly turnId: string;
  readonly signal: AbortSignal;
  /** Called with each change. */
  onChange(turn: ActiveTurn | Turn): void;
  /** It waits in the queue behind another turn. */
  onQueued(): void;
  /** The host does not answer; the client is reconnecting. */
  onAway(): void;
}

/** Follows a message that the host has accepted. Resolves with its turn when it has ended; rejects when that can't be known any more. */
export function followTurn(host: HostClient, session: SessionHandle, options: FollowOptions): Promise<Turn> {
  const { turnId, signal } = options;
  return new Promise((resolve, reject) => {
    let wasQueued = false;
    let away: NodeJS.Timeout | undefined;
    const finish = (settle: () => void) => {
      clearTimeout(away);
      signal.removeEventListener('abort', onAbort);
      for (const subscription of watched) subscription.dispose();
      settle();
    };
    const onAbort = () => finish(() => reject(signal.reason));
    const look = (state: SessionState) => {
      const turn = findTurn(state, turnId);
      if (turn) options.onChange(turn);
      if (turn && 'state' in turn) return finish(() => resolve(turn));
      const isQueued = state.queuedMessages?.some(({ id }) => id === turnId) ?? false;
      if (isQueued && !wasQueued) options.onQueued();
      // The host has accepted it. Not running, not ended, not waiting: it was removed from the queue, maybe before this was called.
      if (!turn && !isQueued) finish(() => reject(takenBack()));
      wasQueued = isQueued;
    };
    const watched = [
      session.confirmed.subscribe(look),
      session.gone.subscribe((gone) => gone && finish(() => reject(gone))),
      host.connection.subscribe((connection) => {
        clearTimeout(away);
        if (connection.state === 'closed') finish(() => reject(connection.reason));
        if (connection.state !== 'reconnecting') return;
        if (connection.attempt === 1) options.onAway();
        away = setTimeout(() => finish(() => reject(lost(session.uri))), MAX_AWAY_MS);
      }),
    ];
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort);
    look(session.confirmed.value);
  });
}

function findTurn({ activeTurn, turns }: SessionState, id: string): ActiveTurn | Turn | undefined {
  return activeTurn?.id === id ? activeTurn : turns.findLast((turn) => turn.id === id);
}

function takenBack(): CommandError {
  return new CommandError(
    EXIT.turnCancelled,
    'The message was removed before its turn started.',
    'Send it again if it is still wanted.',
  );
}

function lost(uri: string): CommandError {
  return new CommandError(
    EXIT.noHost,
    'The host does not answer any more; how the turn ended is not known.',
    `When it is back, see with agenthost log ${uri}.`,
  );
}
