import {
  type Commands,
  type CreateSessionParams,
  ERROR_CODE,
  PROTOCOL_VERSION,
  type Role,
  type URI,
} from '@agenthost/protocol';
import { DEFAULT_SPACE, roleForMethod, roleRefusal } from '@agenthost/protocol/internal';
import { COMMAND_SCHEMAS } from '@agenthost/protocol/schemas';
import { RpcError } from '@agenthost/rpc';
import { describeIssues, FIRST_ISSUE } from '../describeIssues.js';
import { checkRemoval } from '../sessions/removedSession.js';
import type { SessionHub } from '../sessions/sessionHub.js';
import { alreadyExists } from '../sessions/sessionLoader.js';
import type { AskingClient, Browse, CommandClient, WorkCommand } from '../sessions/sessions.js';
import { SpaceSessions } from '../sessions/spaces/spaceSessions.js';
import { isFenced } from '../sessions/turn/notStored.js';
import { OwnedElsewhere } from '../storage/sessionStorage.js';
import type { LinkClient } from './links/linkMessages.js';

/** A command that another host carries out: the one that has the session, or one of its place. */
export type RoutedCommand =
  | 'createSession'
  | 'disposeSession'
  | 'forkSession'
  | 'fetchTurns'
  | 'fetchParts'
  | 'fetchEvents'
  | 'listArtifacts'
  | 'fetchContent'
  | 'browseDirectory'
  | WorkCommand;

export interface RoutedCommandsOptions {
  /** The sessions that this host owns. */
  readonly hub: SessionHub;
  /** Shows a folder of this machine. */
  readonly browse: Browse;
}

/** A host that does not say for whom it asks can only read. */
const LEAST: Role = 'viewer';

/** What the command does with the sessions that the client sees does not depend on who it is. */
const SOMEBODY: AskingClient = { author: { clientId: '' }, protocolVersion: PROTOCOL_VERSION };

type Carriers = {
  readonly [M in RoutedCommand]: (
    params: Commands[M]['params'],
    space: string,
    client: AskingClient,
  ) => Promise<unknown>;
};

/** Carries out commands for clients of other hosts. What the client may do, and what it may see, is checked here too. */
export function routedCommands({ hub, browse }: RoutedCommandsOptions) {
  const of = (space: string) => new SpaceSessions(() => hub, space);
  const commands: Carriers = {
    createSession: (params, space) => createOnce(hub, params, { space }).then(() => null),
    disposeSession: async ({ session, ...how }, space, { role = LEAST }) => {
      checkRemoval(role, how);
      return removeOnce(() => of(space).remove(session, SOMEBODY, how)).then(() => null);
    },
    forkSession: (params, space) =>
      of(space)
        .fork(params, SOMEBODY)
        .then(() => null),
    fetchTurns: (params, space) => of(space).fetchTurns(params, SOMEBODY),
    fetchParts: (params, space) => of(space).fetchParts(params, SOMEBODY),
    fetchEvents: (params, space) => of(space).fetchEvents(params, SOMEBODY),
    listArtifacts: (params, space) => of(space).listArtifacts(params, SOMEBODY),
    fetchContent: (params, space) => of(space).fetchContent(params, SOMEBODY),
    browseDirectory: browse,
    listChanges: (params, space) => of(space).work('listChanges', params, SOMEBODY),
    fetchDiff: (params, space) => of(space).work('fetchDiff', params, SOMEBODY),
    fetchVersion: (params, space) => of(space).work('fetchVersion', params, SOMEBODY),
    restoreFiles: (params, space, client) => of(space).work('restoreFiles', params, client),
    commitChanges: (params, space, client) => of(space).work('commitChanges', params, client),
    previewMerge: (params, space, client) => of(space).work('previewMerge', params, client),
    mergeChanges: (params, space, client) => of(space).work('mergeChanges', params, client),
    pushChanges: (params, space, client) => of(space).work('pushChanges', params, client),
    pullRequest: (params, space, client) => of(space).work('pullRequest', params, client),
    fetchChanges: (params, space) => of(space).work('fetchChanges', params, SOMEBODY),
    revertChanges: (params, space, client) => of(space).work('revertChanges', params, client),
    rewindSession: (params, space, client) => of(space).work('rewindSession', params, client),
    listFolder: (params, space) => of(space).work('listFolder', params, SOMEBODY),
    readFile: (params, space) => of(space).work('readFile', params, SOMEBODY),
    findFiles: (params, space) => of(space).work('findFiles', params, SOMEBODY),
    checkFiles: (params, space) => of(space).work('checkFiles', params, SOMEBODY),
    fetchTestCommand: (params, space) => of(space).work('fetchTestCommand', params, SOMEBODY),
    runTests: (params, space, client) => of(space).work('runTests', params, client),
    stopTests: (params, space, client) => of(space).work('stopTests', params, client),
  };
  return async (
    method: string,
    params: unknown,
    as: (Pick<LinkClient, 'role' | 'space'> & Partial<Pick<LinkClient, 'author'>>) | undefined,
  ): Promise<unknown> => {
    if (!isRouted(commands, method)) {
      throw new RpcError(ERROR_CODE.methodNotFound, `${method} is not carried out for other hosts`);
    }
    const refusal = roleRefusal(as?.role ?? LEAST, roleForMethod(method));
    if (refusal !== undefined) throw new RpcError(ERROR_CODE.permissionDenied, refusal);
    const { data, error } = COMMAND_SCHEMAS[method].params.safeParse(params, FIRST_ISSUE);
    if (error) throw new RpcError(ERROR_CODE.invalidParams, describeIssues(error.issues, 'params'));
    // What is done to files is said in the conversation, with the name of who did it.
    const role = as?.role ?? LEAST;
    const client = { ...SOMEBODY, role, ...(as?.author && { author: as.author }) };
    return commands[method](data as never, as?.space ?? DEFAULT_SPACE, client);
  };
}

/** Makes a session here, unless another host has made one of the same name in this moment. */
export function createOnce(
  hub: Pick<SessionHub, 'create'>,
  params: CreateSessionParams,
  client: Pick<CommandClient, 'space'>,
): Promise<void> {
  return hub.create(params, client).catch((error: unknown) => takenElsewhere(error, params.session));
}

/** The same for one that was exported. `owner` is the connection that sends it. */
export function importOnce(
  hub: Pick<SessionHub, 'import'>,
  params: Parameters<SessionHub['import']>[0],
  owner: object,
  space: string,
): Promise<void> {
  return hub.import(params, owner, space).catch((error: unknown) => takenElsewhere(error, params.session));
}

/** Removes a session of this host, unless another one has taken it in this moment. */
export function removeOnce(remove: () => Promise<void>): Promise<void> {
  return remove().catch((error: unknown) => {
    if (!(error instanceof OwnedElsewhere)) throw error;
    const message = 'another host has just taken this session: it may have been done or not; look, and try again';
    throw new RpcError(ERROR_CODE.tooManyRequests, message, { cause: error });
  });
}

/** Another host has made a session of the same name in this moment. */
function takenElsewhere(error: unknown, uri: URI): never {
  throw error instanceof OwnedElsewhere || isFenced(error) ? alreadyExists(uri) : error;
}

/** It changes nothing, so that it can be asked for again. */
export function isRead(method: RoutedCommand): boolean {
  const others: readonly RoutedCommand[] = ['browseDirectory', 'previewMerge', 'readFile', 'findFiles', 'checkFiles'];
  return method.startsWith('fetch') || method.startsWith('list') || others.includes(method);
}

/** What a client is told when the host that should carry out its command can't be reached any more. */
export function linkCut(cause: unknown): RpcError {
  const message = 'the link to the host of this session was cut: it may have been done or not; look, and try again';
  return new RpcError(ERROR_CODE.tooManyRequests, message, { cause });
}

function isRouted(commands: object, method: string): method is RoutedCommand {
  return Object.hasOwn(commands, method);
}
