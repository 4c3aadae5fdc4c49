import { type ActionEnvelope, type ClientAction, ERROR_CODE } from '@agenthost/protocol';
import {
  DEFAULT_SPACE,
  errorMessage,
  type Refusal,
  refuse,
  type SetProviderParams,
  type SetProviderResult,
} from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { HostLog } from '../hostLog.js';
import { directoryProblem } from '../sessions/folder/workingDirectory.js';
import type { Sessions, VisibleSessions } from '../sessions/sessions.js';
import type { Broadcast } from '../state/broadcast.js';
import { originOf, type Publisher, type SequenceSource, type Subscriber } from '../state/publisher.js';
import type { SessionFsProvider } from '../storage/client/sessionFsProvider.js';
import type { SessionStorage } from '../storage/sessionStorage.js';
import type { ClientConnection } from './clientConnection.js';
import { ConnectionSessionFs } from './connectionSessionFs.js';

export interface HostSessionsOptions {
  readonly local: Sessions;
  /** The storage of `local`. */
  readonly storage: SessionStorage;
  /** The storage is a database that other hosts use too: no client may keep the sessions. */
  readonly keepsAll: boolean;
  /** Resolves when the provider can be used, with a function that makes the hub of its sessions. */
  readonly providedBy: (provider: SessionFsProvider) => Promise<() => Sessions>;
  readonly publisher: Publisher;
  readonly sequence: SequenceSource;
  readonly broadcast: Broadcast;
  readonly log: HostLog;
}

/** The sessions of this host, in its own state root until a client keeps them, and the way of clients' actions to them. */
export class HostSessions {
  readonly #options: HostSessionsOptions;
  #hub: Sessions;
  #provided: { readonly connection: ClientConnection; readonly files: ConnectionSessionFs } | undefined;
  /** A connection that is about to become the provider. */
  #offering: ClientConnection | undefined;

  constructor(options: HostSessionsOptions) {
    this.#options = options;
    this.#hub = options.local;
  }

  get hub(): Sessions {
    return this.#hub;
  }

  /** The connection of the client that keeps the sessions' files. */
  get keeper(): ClientConnection | undefined {
    return this.#provided?.connection;
  }

  /** Takes a well-formed action to its session, one that the sender sees, which checks the rest. */
  dispatch(sessions: VisibleSessions, sender: Subscriber, clientSeq: number, action: ClientAction): void {
    const loaded = sessions.loaded(action.session);
    if (loaded) {
      loaded.dispatchFromClient(sender, clientSeq, action);
      return;
    }
    // Actions that wait for the same session keep their order: they wait for the same promise.
    const letGo = sessions.hold(action.session);
    sessions
      .open(action.session)
      .then((session) => session.dispatchFromClient(sender, clientSeq, action))
      .catch((error: unknown) => this.#failed(error, sender, clientSeq, action))
      .finally(letGo);
  }

  /** A client whose action can't reach its session yet keeps it and comes back with it. */
  #failed(error: unknown, sender: Subscriber, clientSeq: number, action: ClientAction): void {
    if (error instanceof RpcError && error.code === ERROR_CODE.tooManyRequests) sender.cutOff(error.message);
    else this.reject(sender, clientSeq, action, openingFailed(error));
  }

  /** Sends the action back to its sender as it came, well-formed or not, with the reason. */
  reject(sender: Subscriber, clientSeq: number, raw: object, refusal: Refusal): void {
    const { publisher, sequence } = this.#options;
    const action = raw as ActionEnvelope['action'];
    const origin = originOf(sender, clientSeq);
    publisher.reject(sender, { action, serverSeq: sequence.current, origin, ...refusal });
  }

  /** Allowed once per host, before there is any session: none may be in two places or vanish from a list. */
  async setProvider(connection: ClientConnection, config: SetProviderParams): Promise<SetProviderResult> {
    if (this.#options.keepsAll) throw refused(IN_DATABASE);
    if (connection.space !== DEFAULT_SPACE) throw refused(OTHER_SPACE);
    this.#mustBeFree(connection);
    this.#offering = connection;
    try {
      for await (const _ of this.#options.storage.list()) throw refused(OWN_SESSIONS);
      const files = new ConnectionSessionFs(config, (method, params, timeoutMs) =>
        connection.request(method, params, { timeoutMs }),
      );
      connection.admitFiles();
      const makeHub = await this.#options.providedBy(files);
      // Meanwhile a client may have created a session, or this client may have disconnected.
      this.#mustBeUnused();
      if (!connection.isOpen) throw refused('the connection has ended');
      this.#provided = { connection, files };
      await this.#moveTo(makeHub());
    } finally {
      this.#offering = undefined;
    }
    const warnings = await this.#warnings(config);
    return { success: true, ...(warnings.length > 0 && { warnings }) };
  }

  connectionClosed(connection: ClientConnection): void {
    this.#hub
      .connectionClosed(connection)
      .catch((error: unknown) => this.#options.log.error('what a client has left could not be removed', error));
    if (this.#provided?.connection !== connection) return;
    const message =
      "The client that keeps the sessions' files has disconnected, so nothing can be stored. Restart the host and connect that client first.";
    this.#options.log.error(message);
    void this.#hub.stopFilling();
    this.#hub.storageLost(this.#provided.files.lose());
    this.#options.broadcast({ type: 'notify/storageChanged', storage: 'gone', message }, { space: undefined });
  }

  async #moveTo(hub: Sessions): Promise<void> {
    // Sessions that it would find from now on are not shown any more.
    void this.#hub.stopFilling();
    this.#hub = hub;
    this.#options.log.info('a client keeps the sessions of this host');
    const message = 'A client keeps the files of the sessions of this host from now on.';
    this.#options.broadcast({ type: 'notify/storageChanged', storage: 'client', message }, { space: undefined });
    hub.fillIndex({ changedSince: 0 });
    await hub.indexFilled();
  }

  #mustBeFree(connection: ClientConnection): void {
    if (this.#provided && !this.#provided.connection.isOpen) throw refused(GONE);
    const by = this.#provided?.connection ?? this.#offering;
    if (by) {
      const which = by === connection ? 'this connection' : 'another client';
      throw refused(`${which} is the session file system of this host already`);
    }
    this.#mustBeUnused();
  }

  #mustBeUnused(): void {
    if (!this.#hub.isUnused) throw refused('sessions are active already: set the provider before the first one');
  }

  async #warnings({ initialCwd }: SetProviderParams): Promise<string[]> {
    const problem = await directoryProblem(initialCwd);
    if (problem === undefined) return [];
    const warning = `initialCwd: ${initialCwd} ${problem} on the host's machine, so each session needs a workingDirectory`;
    this.#options.log.warn(warning);
    return [warning];
  }
}

const IN_DATABASE =
  'this host keeps its sessions in a database, with those of others: start a host without --database for this client';
const OTHER_SPACE = `a client keeps the sessions of the space ${DEFAULT_SPACE} only: use a token of that space`;
const OWN_SESSIONS =
  'this host keeps sessions of its own, which would vanish for everybody; start a host with an empty state folder (--state-dir) for this client';

const GONE = 'the client that kept the sessions of this host has gone, and this host with it: restart it first';

function refused(why: string): RpcError {
  return new RpcError(ERROR_CODE.invalidRequest, why);
}

function openingFailed(error: unknown): Refusal {
  if (error instanceof RpcError && error.code === ERROR_CODE.sessionNotFound) return refuse('unknownSession');
  return refuse('sessionNotOpened', { detail: errorMessage(error) });
}
