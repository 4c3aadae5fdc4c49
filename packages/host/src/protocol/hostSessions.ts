import { ERROR_CODE, type Notification, type SetProviderParams } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import type { HostLog } from '../hostLog.js';
import type { SessionFsProvider } from '../sessionFs/sessionFsProvider.js';
import type { SessionHub } from '../sessions/sessionHub.js';
import type { ClientConnection } from './clientConnection.js';
import { ConnectionSessionFs } from './connectionSessionFs.js';

export interface HostSessionsOptions {
  readonly local: SessionHub;
  readonly providedBy: (provider: SessionFsProvider) => SessionHub;
  readonly broadcast: (notification: Notification) => void;
  readonly log: HostLog;
}

/** The sessions of this host: in its own state root, until a client says that it keeps them. */
export class HostSessions {
  readonly #options: HostSessionsOptions;
  #hub: SessionHub;
  #provided: { readonly connection: ClientConnection; readonly files: ConnectionSessionFs } | undefined;

  constructor(options: HostSessionsOptions) {
    this.#options = options;
    this.#hub = options.local;
  }

  get hub(): SessionHub {
    return this.#hub;
  }

  /** Once for a host, by one connection, and before there is any session: nothing may be in two places. */
  setProvider(connection: ClientConnection, config: SetProviderParams): void {
    if (this.#provided) {
      const which = this.#provided.connection === connection ? 'this connection' : 'another client';
      throw new RpcError(ERROR_CODE.invalidRequest, `${which} is the session file system of this host already`);
    }
    if (!this.#hub.isUnused) {
      throw new RpcError(
        ERROR_CODE.invalidRequest,
        'sessions are active already: set the provider before the first one',
      );
    }
    const files = new ConnectionSessionFs(config, (method, params, timeoutMs) =>
      connection.request(method, params, timeoutMs),
    );
    this.#provided = { connection, files };
    // What is found from now on is nobody's to see.
    void this.#hub.stopFilling();
    this.#hub = this.#options.providedBy(files);
    this.#options.log.info('a client keeps the sessions of this host');
    this.#options.broadcast({
      type: 'notify/storageChanged',
      storage: 'client',
      message: 'A client keeps the files of the sessions of this host from now on.',
    });
  }

  connectionClosed(connection: ClientConnection): void {
    this.#hub
      .connectionClosed(connection)
      .catch((error: unknown) => this.#options.log.error('what a client has left could not be removed', error));
    if (this.#provided?.connection !== connection) return;
    this.#options.log.error(
      'the client that keeps the sessions has gone: this host must not be used any more, start it anew',
    );
    this.#hub.storageLost(this.#provided.files.lose());
    this.#options.broadcast({
      type: 'notify/storageChanged',
      storage: 'gone',
      message:
        "The client that keeps the sessions' files has disconnected, so nothing can be stored. Restart the host.",
    });
  }
}
