import type { SessionAction, SessionState } from '@agenthost/protocol';
import { DroppedText } from '../sessionIndex/searchText.js';
import { hasMessage } from './history/foldLog.js';
import { newTurns } from './history/readTurns.js';
import type { Session } from './session.js';
import type { SessionParts } from './sessionParts.js';
import type { SessionServices } from './sessionServices.js';
import type { StoreEffects } from './sessionStore.js';
import type { SummaryNotifier } from './summaryNotifier.js';

/** Everything that follows a change of a session's state, in order. */
export class SessionEffects implements StoreEffects {
  readonly #session: Session;
  readonly #parts: Pick<SessionParts, 'store' | 'history' | 'workspaceYaml'>;
  readonly #services: Pick<SessionServices, 'index' | 'onChange'>;
  readonly #notifier: SummaryNotifier;
  readonly #dropped = new DroppedText();

  constructor(
    session: Session,
    parts: Pick<SessionParts, 'store' | 'history' | 'workspaceYaml'>,
    services: Pick<SessionServices, 'index' | 'onChange'>,
    notifier: SummaryNotifier,
  ) {
    this.#session = session;
    this.#parts = parts;
    this.#services = services;
    this.#notifier = notifier;
  }

  /** Called after each change, when the action is in the log's buffer and on its way to the subscribers. */
  afterChange(action: SessionAction, before: SessionState): void {
    const { store, history } = this.#parts;
    const { state } = store;
    this.#dropped.follow(state);
    // A pending message makes a provisional session known, although it does not change the summary.
    if (state.summary !== before.summary || action.type === 'session/pendingMessageSet') this.#summaryChanged(state);
    this.#indexTurns(state, before);
    this.#tellChange(before);
    // Before the reaction, which changes the state again: this state is that of the last record.
    history.changed(state, store);
    this.#session.react(action, before);
  }

  lost(): void {
    this.#session.lost();
  }

  /** Called when changes could not be stored: the state is again what clients know. `undone` is the one that it was. */
  afterTakeBack(error: unknown, undone: SessionState): void {
    const { state, uri } = this.#parts.store;
    this.#summaryChanged(state);
    this.#tellChange(undone);
    const kept = turnIds(state);
    for (const turnId of turnIds(undone)) if (!kept.has(turnId)) this.#services.index.forgetTurn(uri, turnId);
    this.#session.storageFailed(error);
  }

  /** Only where a question or the end of a turn may be in it: streamed text is most of what happens. */
  #tellChange(before: SessionState): void {
    const { state: after } = this.#parts.store;
    const isAsked = [before, after].some(({ summary }) => summary.status === 'inputNeeded');
    if (!isAsked && before.turns === after.turns) return;
    const { space } = this.#session;
    this.#services.onChange?.({ before, after, space, lookers: () => this.#session.lookers });
  }

  /** Index, clients' lists, `workspace.yaml`. */
  #summaryChanged(state: SessionState): void {
    const { summary } = state;
    const notifier = this.#notifier;
    if (!notifier.provisional.has(summary.resource)) {
      this.#services.index.put(summary, this.#session.space);
      notifier.changed(summary);
    } else if (hasMessage(state)) {
      notifier.provisional.delete(summary.resource);
      this.#services.index.put(summary, this.#session.space);
      void this.#services.index.flush();
      notifier.added(summary, this.#session.space);
    }
    this.#parts.workspaceYaml.summaryChanged(state);
  }

  #indexTurns({ turns, activeTurn }: SessionState, before: SessionState): void {
    const { index } = this.#services;
    const { uri } = this.#parts.store;
    for (const turn of turns === before.turns ? [] : newTurns(turns, before.turns.at(-1))) {
      // A turn that the end of the host interrupted was indexed when its session was loaded.
      if (this.#dropped.hasAll(turn)) index.putTurn(uri, turn, this.#dropped);
    }
    if (activeTurn && activeTurn.id !== before.activeTurn?.id) index.putTurn(uri, activeTurn, this.#dropped);
  }
}

function turnIds({ turns, activeTurn }: SessionState): Set<string> {
  return new Set([...turns, ...(activeTurn ? [activeTurn] : [])].map(({ id }) => id));
}
