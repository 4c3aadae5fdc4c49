import type { ClientAction, SessionState } from '@agenthost/protocol';

export interface UsedTurnIdsOptions {
  readonly state: () => SessionState;
  /** Of the turns that are not in memory; `undefined` where that is not known without reading. */
  readonly isIndexed: (turnId: string) => boolean | undefined;
  /** Reads the turns before those in memory. */
  readonly isStored: (turnId: string, earlierTurns: number) => Promise<boolean>;
}

/** Which turns a session has had, however old they are. A look-up costs the same whatever the history is; only without the index it reads. */
export class UsedTurnIds {
  readonly #options: UsedTurnIdsOptions;

  constructor(options: UsedTurnIdsOptions) {
    this.#options = options;
  }

  /** `undefined`: `find` has to read it. */
  has(turnId: string): boolean | undefined {
    const { turns, activeTurn, earlierTurns = 0 } = this.#options.state();
    if (activeTurn?.id === turnId || turns.some(({ id }) => id === turnId)) return true;
    return earlierTurns > 0 ? this.#options.isIndexed(turnId) : false;
  }

  find(turnId: string): Promise<boolean> {
    return this.#options.isStored(turnId, this.#options.state().earlierTurns ?? 0);
  }
}

/** The id of the turn that an action starts, or of the message that becomes one. */
export function turnIdIn(action: ClientAction): string | undefined {
  if (action.type === 'session/turnStarted') return action.turnId;
  return action.type === 'session/pendingMessageSet' ? action.id : undefined;
}
