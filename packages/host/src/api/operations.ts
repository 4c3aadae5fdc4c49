import {
  type CreateSessionParams,
  ERROR_CODE,
  type ListSessionsParams,
  ROOT_URI,
  type RootState,
  type SessionState,
  sessionUri,
} from '@agenthost/protocol';
import { isProviderId } from '@agenthost/protocol/internal';
import { SCHEMAS } from '@agenthost/protocol/schemas';
import { RpcError } from '@agenthost/rpc';
import type * as z from 'zod';
import type { ApiOperation } from '../server/apiRoutes.js';
import type { ApiCall, SentAction } from './apiCall.js';
import * as schemas from './apiSchemas.js';
import type { KeptAnswer } from './keyStore.js';

export interface Operation {
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** A body may be missing. */
  readonly isBodyOptional?: true;
  readonly status: number;
  readonly result?: z.ZodType;
  /** Bytes of any type instead of JSON, or a stream of events. */
  readonly streams?: 'content' | 'events';
  /** Those that stream are served elsewhere. */
  readonly run?: (call: ApiCall) => Promise<KeptAnswer>;
}

const DEFAULT_TURNS = 30;
const DEFAULT_PARTS = 100;

/** What each operation takes, answers and does: a command or an action of the protocol each. */
export const OPERATIONS: { readonly [K in ApiOperation]: Operation } = {
  listSessions: {
    summary: 'The sessions, the newest first, a page at a time.',
    query: schemas.listQuery,
    status: 200,
    result: SCHEMAS.ListSessionsResult,
    run: list,
  },
  search: {
    summary: 'The sessions that have all words of `text`, with the text around the first match.',
    query: schemas.searchQuery,
    status: 200,
    result: SCHEMAS.ListSessionsResult,
    run: list,
  },
  createSession: {
    summary: 'Makes a session. Its agent starts with its first message at the latest.',
    body: schemas.createBody,
    status: 201,
    result: schemas.createdSession,
    run: create,
  },
  readSession: {
    summary: 'The state of a session with its newest turn; `activeTurn` is the one that runs.',
    status: 200,
    result: SCHEMAS.SessionState,
    run: async (call) => ({ status: 200, body: await stateOf(call) }),
  },
  changeSession: {
    summary: 'Renames a session, archives it or brings it back, marks it as read or unread.',
    body: schemas.changeBody,
    status: 204,
    run: async (call) => {
      const { title, isArchived, isRead } = call.body as z.infer<typeof schemas.changeBody>;
      if (title !== undefined) await call.dispatch({ type: 'session/titleChanged', title: title as string });
      if (isArchived !== undefined) await call.dispatch({ type: 'session/isArchivedChanged', isArchived });
      if (isRead !== undefined) await call.dispatch({ type: 'session/isReadChanged', isRead });
      return { status: 204 };
    },
  },
  deleteSession: {
    summary: 'Deletes a session with all its files.',
    query: schemas.deleteQuery,
    status: 204,
    run: async (call) => {
      await call.client.request('disposeSession', { session: call.session, ...call.query }).catch((error: unknown) => {
        if (!call.mayBeDone || !isCode(error, 'sessionNotFound')) throw error;
      });
      return { status: 204 };
    },
  },
  listTurns: {
    summary: 'Turns that have ended, a page at a time from the newest back; oldest first in each page.',
    query: schemas.turnsQuery,
    status: 200,
    result: SCHEMAS.FetchTurnsResult,
    run: async ({ client, session, query }) => {
      const range = { limit: DEFAULT_TURNS, ...query };
      return { status: 200, body: await client.request('fetchTurns', { session, range }) };
    },
  },
  listParts: {
    summary: 'Parts of a turn that are no longer in its state.',
    query: schemas.partsQuery,
    status: 200,
    result: SCHEMAS.FetchPartsResult,
    run: async ({ client, session, turnId, query }) => {
      const params = { session, turnId, limit: DEFAULT_PARTS, ...query };
      return { status: 200, body: await client.request('fetchParts', params) };
    },
  },
  listArtifacts: {
    summary: 'What a session keeps beside its conversation.',
    query: schemas.artifactsQuery,
    status: 200,
    result: SCHEMAS.ListArtifactsResult,
    run: async ({ client, session, query }) => ({
      status: 200,
      body: await client.request('listArtifacts', { session, ...query }),
    }),
  },
  sendMessage: {
    summary: 'Sends a message to the agent.',
    body: schemas.messageBody,
    status: 202,
    result: schemas.sentMessage,
    run: send,
  },
  cancelTurn: {
    summary: 'Ends a turn. With `holdQueue` pending messages wait.',
    body: schemas.cancelBody,
    isBodyOptional: true,
    status: 204,
    run: async (call) => {
      await call.dispatch({ type: 'session/turnCancelled', turnId: call.turnId, ...(call.body as object) });
      return { status: 204 };
    },
  },
  listQuestions: {
    summary: 'What the agent waits for an answer to.',
    status: 200,
    result: schemas.questions,
    run: async (call) => ({ status: 200, body: { items: questionsOf(await stateOf(call)) } }),
  },
  answerQuestion: {
    summary: 'Answers a question of the agent, or allows or denies a tool call.',
    body: schemas.answerBody,
    status: 204,
    run: async (call) => {
      const answer = call.body as { readonly toolCallId?: string };
      const type = answer.toolCallId === undefined ? 'session/permissionResolved' : 'session/toolCallConfirmed';
      await call.dispatch({ ...answer, type, turnId: call.turnId } as SentAction);
      return { status: 204 };
    },
  },
  followEvents: {
    summary: 'What happens in a session, in the order of its log, as server-sent events; as JSON one page of it.',
    query: schemas.eventsQuery,
    status: 200,
    result: SCHEMAS.FetchEventsResult,
    streams: 'events',
  },
  readContent: {
    summary: 'The bytes of what a state or a turn refers to, or a range of them.',
    query: schemas.contentQuery,
    status: 200,
    streams: 'content',
  },
  listAgents: {
    summary: 'The agents of this host.',
    status: 200,
    result: schemas.agents,
    run: async ({ client }) => {
      const { state } = await client.request('subscribe', { resource: ROOT_URI });
      return { status: 200, body: { items: (state as RootState).agents } };
    },
  },
};

async function list({ client, query }: ApiCall): Promise<KeptAnswer> {
  const { limit, cursor, ...filter } = query as Pick<ListSessionsParams, 'limit' | 'cursor'>;
  const params: ListSessionsParams = {
    filter,
    ...(limit !== undefined && { limit }),
    ...(cursor !== undefined && { cursor }),
  };
  return { status: 200, body: await client.request('listSessions', params) };
}

async function create(call: ApiCall): Promise<KeptAnswer> {
  const body = call.body as Omit<CreateSessionParams, 'session'> & { readonly provider: string };
  if (!isProviderId(body.provider))
    throw new RpcError(ERROR_CODE.noAgentForProvider, 'This is not the id of an agent.');
  const session = sessionUri(body.provider, call.newId('session'));
  await call.client.request('createSession', { ...body, session }).catch((error: unknown) => {
    // Its id comes from the key: an earlier request with the same key has made it.
    if (!isCode(error, 'sessionAlreadyExists')) throw error;
  });
  const location = `/api/v1/sessions/${encodeURIComponent(session)}`;
  return { status: 201, headers: { location }, body: { session } };
}

async function send(call: ApiCall): Promise<KeptAnswer> {
  const { text, attachments, kind = 'turn' } = call.body as z.infer<typeof schemas.messageBody>;
  const userMessage = { text, ...(attachments !== undefined && { attachments }) };
  const id = call.newId('message');
  const action =
    kind === 'turn'
      ? { type: 'session/turnStarted', turnId: id, userMessage }
      : { type: 'session/pendingMessageSet', kind, id, userMessage };
  await call.dispatch(action as SentAction);
  return { status: 202, body: kind === 'turn' ? { turnId: id } : { messageId: id } };
}

async function stateOf({ client, session }: ApiCall): Promise<SessionState> {
  const { state } = await client.request('subscribe', { resource: session, turns: 1 });
  return state as SessionState;
}

export function questionsOf({ activeTurn }: SessionState): readonly object[] {
  if (!activeTurn) return [];
  const { id: turnId, toolCalls, pendingPermissions } = activeTurn;
  const calls = Object.values(toolCalls).filter(({ status }) => status === 'pendingConfirmation');
  return [
    ...calls.map((toolCall) => ({ turnId, toolCall })),
    ...Object.values(pendingPermissions).map((request) => ({ turnId, request })),
  ];
}

function isCode(error: unknown, name: keyof typeof ERROR_CODE): error is RpcError {
  return error instanceof RpcError && error.code === ERROR_CODE[name];
}
