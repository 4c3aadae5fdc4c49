import { type ChangesState, changesReducer, changesUri, createChangesState, type URI } from '@agenthost/protocol';
import type { ChangedAction } from '@agenthost/protocol/internal';
import type { CommandChannel } from '../connection/commandChannel.js';
import type { Connection } from '../connection/connection.js';
import { type Observable, ObservableValue, type ReportError } from '../observable.js';

/** The changes of one session, for as long as somebody looks at them. */
export interface WatchedChanges {
  /** Has `isLoading` until the host has looked. */
  readonly state: Observable<ChangesState>;
  dispose(): void;
}

interface Watch {
  readonly state: ObservableValue<ChangesState>;
  references: number;
  /** Up to which number the state has everything; a snapshot of another connection begins again. */
  seq: number;
}

/** Subscribes with the first look and unsubscribes with the last; after a lost connection it subscribes again. */
export class ChangesWatches {
  readonly #commands: CommandChannel;
  readonly #connection: Pick<Connection, 'state' | 'notify'>;
  readonly #reportError: ReportError;
  readonly #watches = new Map<URI, Watch>();

  constructor(commands: CommandChannel, connection: Pick<Connection, 'state' | 'notify'>, reportError: ReportError) {
    this.#commands = commands;
    this.#connection = connection;
    this.#reportError = reportError;
    connection.state.subscribe(({ state }) => {
      if (state === 'connected') for (const resource of this.#watches.keys()) this.#subscribe(resource);
    });
  }

  watch(session: URI): WatchedChanges {
    const resource = changesUri(session);
    const known = this.#watches.get(resource);
    const state = () => new ObservableValue(createChangesState(session), this.#reportError);
    const watch: Watch = known ?? { state: state(), references: 0, seq: -1 };
    watch.references++;
    if (!known) {
      this.#watches.set(resource, watch);
      if (this.#connection.state.value.state === 'connected') this.#subscribe(resource);
    }
    let isOpen = true;
    const dispose = () => {
      if (!isOpen) return;
      isOpen = false;
      if (--watch.references > 0) return;
      this.#watches.delete(resource);
      this.#connection.notify('unsubscribe', { resource });
    };
    return { state: watch.state, dispose };
  }

  receive(action: ChangedAction, serverSeq: number): void {
    const watch = this.#watches.get(action.resource);
    if (watch && serverSeq > watch.seq) {
      watch.seq = serverSeq;
      watch.state.set(changesReducer(watch.state.value, action));
    }
  }

  #subscribe(resource: URI): void {
    const watch = this.#watches.get(resource);
    if (!watch) return;
    watch.seq = -1;
    this.#commands.request('subscribe', { resource }).then(
      ({ state, fromSeq }) => {
        // What has come since is newer.
        if (this.#watches.get(resource) !== watch || watch.seq > fromSeq) return;
        watch.seq = fromSeq;
        watch.state.set(state as ChangesState);
      },
      (error: unknown) => {
        if (this.#watches.get(resource) !== watch || this.#connection.state.value.state !== 'connected') return;
        const { session } = watch.state.value;
        const message = error instanceof Error ? error.message : String(error);
        watch.state.set({ session, comparisons: [], problem: { message } });
      },
    );
  }
}
