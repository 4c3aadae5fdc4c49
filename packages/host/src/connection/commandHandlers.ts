import { type Commands, ERROR_CODE } from '@agenthost/protocol';
import { type ErrorData, errorMessage } from '@agenthost/protocol/internal';
import { LateResult, type RawResult, type RequestContext, RpcError } from '@agenthost/rpc';
import { NotInstallableError } from '../agents/install/agentInstallations.js';
import { AgentInstallError } from '../agents/install/agentInstaller.js';
import { settleWithin } from '../agents/settleWithin.js';
import { checkRemoval } from '../sessions/removedSession.js';
import type { Delivery } from '../state/delivery.js';
import { AnswerPace } from './answerPace.js';
import type { ClientConnection } from './clientConnection.js';
import { createLoginHandlers } from './commands/loginHandlers.js';
import { createNativeHandlers } from './commands/nativeHandlers.js';
import { setClientTools } from './commands/setClientTools.js';
import { createTerminalHandlers } from './commands/terminalHandlers.js';
import { createWebhookHandlers } from './commands/webhookHandlers.js';
import type { Devices } from './devices.js';
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

const ON_MACHINES =
  'this host shares its sessions with others, and agents are installed on machines: stop the host, run "agenthost agents add" or "agenthost agents rm" on its machine, and start it again';

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
    createSession: async (params, connection) => {
      await connection.sessions.create(params, connection);
      return null;
    },
    disposeSession: async ({ session, ...how }, connection) => {
      checkRemoval(connection.role, how);
      await connection.sessions.remove(session, connection, how);
      services.terminals.closeOf(session);
      await services.devices?.sessionRemoved(session);
      return null;
    },
    listSessions: (params, connection) => {
      const listed = connection.sessions.list(params);
      if (!(listed instanceof Promise)) return listed;
      return listed.then((result) => new LateResult(() => connection.sessions.withNewestSummaries(result)));
    },
    fetchTurns: (params, connection) => connection.sessions.fetchTurns(params, connection),
    fetchParts: (params, connection) => connection.sessions.fetchParts(params, connection),
    fetchEvents: (params, connection) => connection.sessions.fetchEvents(params, connection),
    listArtifacts: (params, connection) => connection.sessions.listArtifacts(params, connection),
    browseDirectory: (params, connection) => services.browse(params, connection),
    fetchContent: (params, connection) => connection.sessions.fetchContent(params, connection),
    listChanges: (params, connection) => connection.sessions.work('listChanges', params, connection),
    fetchDiff: (params, connection) => connection.sessions.work('fetchDiff', params, connection),
    fetchVersion: (params, connection) => connection.sessions.work('fetchVersion', params, connection),
    restoreFiles: (params, connection) => connection.sessions.work('restoreFiles', params, connection),
    commitChanges: (params, connection) => connection.sessions.work('commitChanges', params, connection),
    previewMerge: (params, connection) => connection.sessions.work('previewMerge', params, connection),
    mergeChanges: (params, connection) => connection.sessions.work('mergeChanges', params, connection),
    pushChanges: (params, connection) => connection.sessions.work('pushChanges', params, connection),
    pullRequest: (params, connection) => connection.sessions.work('pullRequest', params, connection),
    fetchChanges: (params, connection) => connection.sessions.work('fetchChanges', params, connection),
    revertChanges: (params, connection) => connection.sessions.work('revertChanges', params, connection),
    rewindSession: (params, connection) => connection.sessions.work('rewindSession', params, connection),
    listFolder: (params, connection) => connection.sessions.work('listFolder', params, connection),
    readFile: (params, connection) => connection.sessions.work('readFile', params, connection),
    findFiles: (params, connection) => connection.sessions.work('findFiles', params, connection),
    checkFiles: (params, connection) => connection.sessions.work('checkFiles', params, connection),
    fetchTestCommand: (params, connection) => connection.sessions.work('fetchTestCommand', params, connection),
    runTests: (params, connection) => connection.sessions.work('runTests', params, connection),
    stopTests: (params, connection) => connection.sessions.work('stopTests', params, connection),
    forkSession: async (params, connection) => {
      await connection.sessions.fork(params, connection);
      return null;
    },
    importSession: async (params, connection) => {
      await connection.sessions.import(params, connection);
      return null;
    },
    setClientTools: (params, connection) => setClientTools(params, connection),
    'sessionFs.setProvider': (params, connection) => services.hostSessions.setProvider(connection, params),
    fetchPushKey: () => services.push.publicKey(),
    setPushSubscription: (params, { credentialId }) => services.push.subscribe(credentialId, params),
    removePushSubscription: async ({ endpoint }, { credentialId }) => {
      await services.push.unsubscribe(credentialId, endpoint);
      return null;
    },
    lookAt: (params, connection) => {
      connection.lookAt(params);
      return null;
    },
    listDevices: (_params, connection) => devices().list(connection),
    addDevice: (params, connection) => devices().add(params, connection),
    updateDevice: async (params, connection) => {
      await devices().update(params, connection);
      return null;
    },
    fetchAudit: ({ session, before, limit }, connection) =>
      services.audit.read({
        space: connection.space,
        ...(session !== undefined && { session }),
        ...(before !== undefined && { before }),
        limit,
      }),
    removeDevice: async ({ device }, connection) => {
      await devices().remove(device, connection);
      return null;
    },
    createPairing: (params, connection) => devices().createPairing(params, connection),
    shareSession: async (params, connection) => {
      await connection.sessions.open(params.session);
      return devices().share(params, connection);
    },
    fetchPairing: ({ pairing }) => devices().fetchPairing(pairing),
    removePairing: async ({ pairing }) => {
      await devices().removePairing(pairing);
      return null;
    },
    installAgent: ({ provider }) => changeAgent(provider, async () => services.installations.begin(provider)),
    removeAgent: ({ provider }) => changeAgent(provider, () => services.installations.remove(provider)),
    updateAgent: ({ provider }) => changeAgent(provider, async () => services.installations.beginUpdate(provider)),
    cancelInstall: ({ provider }) => changeAgent(provider, () => services.installations.cancel(provider)),
    ...createLoginHandlers(services),
    ...createNativeHandlers(services),
    ...createTerminalHandlers(services),
    ...createWebhookHandlers(services),
  };

  function devices(): Devices {
    if (services.devices) return services.devices;
    throw new RpcError(ERROR_CODE.notFound, 'this host does not listen, so it has no devices');
  }

  async function changeAgent(provider: string, change: () => Promise<void>): Promise<null> {
    if (services.isShared) throw new RpcError(ERROR_CODE.permissionDenied, ON_MACHINES);
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
