import { type Commands, ERROR_CODE } from '@agenthost/protocol';
import { type LateResult, type RawResult, type RequestContext, RpcError } from '@agenthost/rpc';
import { browseDirectory } from './browseDirectory.js';
import type { ClientConnection } from './clientConnection.js';
import { initialize, reconnect, subscribe } from './handshake.js';
import type { HostServices } from './hostServices.js';

type Answer<T> = T | RawResult | LateResult<T | RawResult>;

export type CommandHandlers = {
  readonly [M in keyof Commands]: (
    params: Commands[M]['params'],
    connection: ClientConnection,
    context: RequestContext,
  ) => Answer<Commands[M]['result']> | Promise<Answer<Commands[M]['result']>>;
};

/** What the host does for each command. Handlers stay thin: what takes thought is where its subject is. */
export function createCommandHandlers(services: HostServices): CommandHandlers {
  const { sessions, agents } = services;
  return {
    ping: () => ({}),
    initialize: (params, connection) => initialize(services, params, connection),
    reconnect: (params, connection) => reconnect(services, params, connection),
    subscribe: (params, connection) => subscribe(params, connection),
    createSession: async (params) => {
      await sessions.create(params);
      return null;
    },
    disposeSession: async ({ session }) => {
      await sessions.remove(session);
      return null;
    },
    listSessions: (params) => sessions.list(params),
    fetchTurns: async ({ session, range }) => (await sessions.open(session)).fetchTurns(range),
    browseDirectory: ({ uri }) => browseDirectory(uri),
    fetchContent: ({ uri }) => {
      throw new RpcError(ERROR_CODE.contentNotFound, `no content at ${uri}`);
    },
    forkSession: () => unavailable('forkSession'),
    'sessionFs.setProvider': () => unavailable('sessionFs.setProvider'),
    installAgent: ({ provider }) => noInstallation(provider),
    removeAgent: ({ provider }) => noInstallation(provider),
  };

  function noInstallation(provider: string): never {
    if (!agents.get(provider)) throw new RpcError(ERROR_CODE.noAgentForProvider, `no agent for provider ${provider}`);
    throw new RpcError(
      ERROR_CODE.permissionDenied,
      `${provider} is part of the host: it can't be installed or removed`,
    );
  }
}

/** Known to the protocol, not yet to this host. */
function unavailable(method: string): never {
  throw new RpcError(ERROR_CODE.methodNotFound, `this version of the host does not offer ${method} yet`);
}
