import { type Commands, ERROR_CODE } from '@agenthost/protocol';
import { type ErrorData, errorMessage } from '@agenthost/protocol/internal';
import { LateResult, type RawResult, type RequestContext, RpcError } from '@agenthost/rpc';
import { NotInstallableError } from '../agents/install/agentInstallations.js';
import { AgentInstallError } from '../agents/install/agentInstaller.js';
import { settleWithin } from '../agents/settleWithin.js';
import { filePath } from '../sessions/folder/workingDirectory.js';
import type { Delivery } from '../state/delivery.js';
import { AnswerPace } from './answerPace.js';
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

/** A client that gets no answer for 10 s takes the host for dead. */
const PING_PATIENCE_MS = 5_000;

/**
 * After all that the client was to get before, as every answer; but not when the storage holds all of it up: a database that is away
 * must not look like a host that is.
 */
async function answerPing(
  delivery: Delivery,
  connection: ClientConnection,
): Promise<LateResult<Readonly<Record<string, never>>>> {
  let isInOrder = false;
  await settleWithin(
    PING_PATIENCE_MS,
    delivery.left().then(() => {
      isInOrder = true;
    }),
  );
  return new LateResult(() => {
    if (!isInOrder) connection.answerAtOnce();
    return {};
  });
}

/** The handler of each command. Handlers stay thin: the work is done in the modules that they call. */
export function createCommandHandlers(services: HostServices): CommandHandlers {
  const { agents } = services;
  const context = { services, pace: new AnswerPace() };
  return {
    // At once where nothing can hold the answer up: many may be on their way.
    ping: (_params, connection) => (services.isShared ? answerPing(services.delivery, connection) : {}),
    initialize: (params, connection) => initialize(context, params, connection),
    reconnect: (params, connection) => reconnect(context, params, connection),
    subscribe: (params, connection) => subscribe(context, params, connection),
    createSession: async (params) => {
      await services.sessions.create(params);
      return null;
    },
    disposeSession: async ({ session }) => {
      await services.sessions.remove(session);
      return null;
    },
    listSessions: (params) => {
      const listed = services.sessions.list(params);
      if (!(listed instanceof Promise)) return listed;
      return listed.then((result) => new LateResult(() => services.sessions.withNewestSummaries(result)));
    },
    fetchTurns: (params) => services.sessions.fetchTurns(params),
    fetchParts: (params) => services.sessions.fetchParts(params),
    listArtifacts: (params) => services.sessions.listArtifacts(params),
    browseDirectory: async ({ uri, provider }) => {
      const result = await browseDirectory(uri);
      if (provider === undefined) return result;
      const untrustedFolder = await services.sessions.untrustedFolder(provider, filePath(uri));
      return { ...result, ...(untrustedFolder !== undefined && { untrustedFolder }) };
    },
    fetchContent: (params) => services.sessions.fetchContent(params),
    forkSession: async (params) => {
      await services.sessions.fork(params);
      return null;
    },
    importSession: async (params, connection) => {
      await services.sessions.import(params, connection);
      return null;
    },
    'sessionFs.setProvider': (params, connection) => services.hostSessions.setProvider(connection, params),
    installAgent: ({ provider }) => changeAgent(provider, async () => services.installations.begin(provider)),
    removeAgent: ({ provider }) => changeAgent(provider, () => services.installations.remove(provider)),
  };

  async function changeAgent(provider: string, change: () => Promise<void>): Promise<null> {
    if (!agents.get(provider)) throw new RpcError(ERROR_CODE.noAgentForProvider, `no agent for provider ${provider}`);
    try {
      await change();
      return null;
    } catch (error) {
      if (error instanceof NotInstallableError) {
        const message = `${provider} is part of the host: it can't be installed or removed`;
        throw new RpcError(ERROR_CODE.permissionDenied, message);
      }
      // The client that asked gets npm's message.
      const whatToDo = error instanceof AgentInstallError ? error.whatToDo : undefined;
      const data: ErrorData | undefined = whatToDo === undefined ? undefined : { whatToDo };
      throw new RpcError(ERROR_CODE.internalError, errorMessage(error), { data });
    }
  }
}
