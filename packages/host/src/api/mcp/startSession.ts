import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ERROR_CODE, sessionUri, type URI } from '@agenthost/protocol';
import { isProviderId } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import { idFrom } from '../apiCall.js';
import { Problem } from '../problem.js';
import { type Start, startOf, type ToolCall } from './toolCall.js';

/** A session that a program starts has depth 1, and its agent may start one of depth 2. */
const MAX_DEPTH = 3;
/** Below one session, over all depths. Those that are deleted do not count. */
const MAX_BELOW = 16;

/** Makes a session, and sends it its first message. */
export async function startSession(call: ToolCall): Promise<object> {
  const { tokenId, quota } = call.options;
  const provider = call.arg<string>('agent');
  if (!isProviderId(provider)) throw new RpcError(ERROR_CODE.noAgentForProvider, 'This is not the id of an agent.');
  const start = await lineage(call);
  quota.begin(tokenId);
  const session = await create(call, provider, start);
  const text = call.arg<string | undefined>('message');
  if (text === undefined) return { session };
  try {
    return { session, ...(await call.run<object>('sendMessage', { path: { session }, body: { text } })) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const detail = `The session ${session} was made, but it did not take the message: ${error.message}`;
    throw new Problem(error.status, error.code, detail, error.options);
  }
}

/** Throws a `Problem` when the agent that calls may start no more. */
async function lineage(call: ToolCall): Promise<Start> {
  const { caller } = call.options;
  if (caller === undefined) return { sessions: [], depth: 1 };
  const above = (await startOfCaller(call, caller)) ?? { sessions: [], depth: 0 };
  if (above.depth >= MAX_DEPTH)
    throw new Problem(
      403,
      'tooDeep',
      `Sessions start one another at most ${MAX_DEPTH} deep, and this one is at the end.`,
      {
        whatToDo: 'Do the work in this session, or ask the one that started it to start another one.',
      },
    );
  return { sessions: [...above.sessions, caller], depth: above.depth + 1 };
}

/** `undefined` also for an agent of another host: it is the first one here. */
async function startOfCaller(call: ToolCall, caller: URI): Promise<Start | undefined> {
  try {
    return startOf((await call.stateOf(caller)).summary);
  } catch (error) {
    if (error instanceof RpcError && error.code === ERROR_CODE.sessionNotFound) return undefined;
    throw error;
  }
}

async function create(call: ToolCall, provider: string, start: Start): Promise<URI> {
  const { seed, mayBeDone } = call.options;
  const request = idFrom(`${seed}\0session`);
  const root = start.sessions[0];
  const ids = root === undefined ? [request] : placesBelow(root, request);
  const startedBy: Start = { ...start, request };
  for (const id of ids) {
    const session = sessionUri(provider, id);
    try {
      await call.client.request('createSession', { ...wanted(call), session, metadata: { startedBy } });
      return session;
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== ERROR_CODE.sessionAlreadyExists) throw error;
      if (mayBeDone && (await isOf(call, session, request))) return session;
    }
  }
  throw new Problem(403, 'tooManySessions', `There are ${MAX_BELOW} sessions below ${root} already.`, {
    whatToDo: 'Send messages to those that are there, or let a person delete some.',
  });
}

/** The ids that sessions below this one can have: no list has to be counted, on any number of hosts. Each request begins elsewhere. */
function placesBelow(root: URI, request: string): readonly string[] {
  const first = Number.parseInt(request.slice(0, 8), 16);
  return Array.from({ length: MAX_BELOW }, (_, n) => idFrom(`${root}\0started\0${(first + n) % MAX_BELOW}`));
}

/** Whether an earlier run of the same request has made it. */
async function isOf(call: ToolCall, session: URI, request: string): Promise<boolean> {
  const state = await call.stateOf(session).catch(() => undefined);
  return state !== undefined && startOf(state.summary)?.request === request;
}

function wanted(call: ToolCall) {
  const model = call.arg<string | undefined>('model');
  const folder = call.arg<string | undefined>('folder');
  const isolation = call.arg<boolean | undefined>('worktree') ? 'worktree' : undefined;
  return {
    ...(model !== undefined && { model }),
    ...(folder !== undefined && { workingDirectory: folderUri(folder) }),
    ...(isolation !== undefined && { config: { isolation } }),
  };
}

function folderUri(folder: string): URI {
  if (folder.startsWith('file:')) return folder;
  if (isAbsolute(folder)) return pathToFileURL(folder).href;
  throw new Problem(400, 'invalidRequest', 'The folder is not an absolute path.', {
    whatToDo: 'Give its whole path on the machine of the host.',
  });
}
