import type { ActiveTurn, SessionState, SessionSummary, Turn } from '@agenthost/protocol';
import { shortened, turnText } from '../../sessions/turn/transcript.js';
import { questionsOf } from '../operations.js';
import type { ToolCall } from './toolCall.js';

/** In code units. */
const MAX_TITLE = 200;
const MAX_QUESTION = 2_000;
const MAX_QUESTIONS = 10;
const DEFAULT_LENGTH = 20_000;
const DEFAULT_TURNS = 5;
/** Of an answer that tells one turn. */
const MAX_TURN = 12_000;

/** A session, its newest turns or those before a given one, and what its agent waits for. */
export async function readSession(call: ToolCall): Promise<object> {
  const { session } = call;
  const before = call.arg<string | undefined>('before');
  const limit = call.arg<number | undefined>('turns') ?? DEFAULT_TURNS;
  let room = call.arg<number | undefined>('maxLength') ?? DEFAULT_LENGTH;
  const state = await call.stateOf(session);
  const page = await call.client.request('fetchTurns', {
    session,
    range: { limit, ...(before !== undefined && { before }) },
  });
  const newest = before === undefined ? runningTurn(state, room) : undefined;
  room -= newest?.text.length ?? 0;
  const turns: object[] = [];
  let { hasMore } = page;
  for (const turn of page.turns.toReversed()) {
    // One turn in any case, unless the running one is there.
    if (room <= 0 && (turns.length > 0 || newest)) {
      hasMore = true;
      break;
    }
    const told = toldTurn(turn, Math.max(room, 1_000));
    room -= told.text.length;
    turns.unshift({ ...told, id: turn.id });
  }
  const oldest = turns[0] as { readonly id?: string } | undefined;
  return {
    ...told(state.summary),
    ...waiting(state),
    turns: newest ? [...turns, newest] : turns,
    ...(hasMore && oldest && { before: oldest.id }),
    ...(hasMore && !oldest && { hasEarlierTurns: true }),
  };
}

/** What lists and answers tell of a session. */
export function told({ resource, title, provider, status, activity, model, modifiedAt, ...rest }: SessionSummary) {
  const { workingDirectory, isArchived, metadata } = rest;
  const startedBy = (Object(metadata?.['startedBy']) as { readonly sessions?: unknown }).sessions;
  return {
    session: resource,
    title: shortened(title, MAX_TITLE),
    agent: provider,
    status,
    modifiedAt: new Date(modifiedAt).toISOString(),
    ...(activity !== undefined && { activity: shortened(activity, MAX_TITLE) }),
    ...(model !== undefined && { model }),
    ...(workingDirectory !== undefined && { folder: workingDirectory }),
    ...(isArchived && { isArchived }),
    ...(Array.isArray(startedBy) &&
      startedBy.length > 0 && { startedBy: String(startedBy.at(-1)).slice(0, MAX_TITLE) }),
  };
}

/** What answers wait for: `answer_question` takes the ids as they stand here. */
export function waiting(state: SessionState): object {
  const { creationError, queuedMessages = [] } = state;
  const questions = questionsOf(state) as readonly AskedQuestion[];
  return {
    ...(creationError && { error: shortened(creationError.message, MAX_QUESTION) }),
    ...(queuedMessages.length > 0 && { queuedMessages: queuedMessages.length }),
    ...(questions.length > 0 && { questions: questions.slice(0, MAX_QUESTIONS).map(toldQuestion) }),
    ...(questions.length > MAX_QUESTIONS && { moreQuestions: questions.length - MAX_QUESTIONS }),
  };
}

/** An ended turn in short. */
export function toldTurn(turn: Turn, maxLength = MAX_TURN) {
  const { id, state, startedAt, endedAt } = turn;
  return {
    id,
    state,
    startedAt: new Date(startedAt).toISOString(),
    endedAt: new Date(endedAt).toISOString(),
    text: shortened(turnText(turn), maxLength),
  };
}

/** The turn that runs, as far as it is. */
export function runningTurn({ activeTurn }: SessionState, maxLength = MAX_TURN) {
  if (!activeTurn) return undefined;
  const text = shortened(turnText({ ...activeTurn, toolCalls: Object.values(activeTurn.toolCalls) }), maxLength);
  return { id: activeTurn.id, state: 'running', startedAt: new Date(activeTurn.startedAt).toISOString(), text };
}

type AskedQuestion = {
  readonly turnId: string;
  readonly toolCall?: Extract<ActiveTurn['toolCalls'][string], { readonly status: 'pendingConfirmation' }>;
  readonly request?: ActiveTurn['pendingPermissions'][string];
};

function toldQuestion({ turnId, toolCall, request }: AskedQuestion): object {
  if (toolCall) {
    const { toolCallId, displayName, invocationMessage, toolInput, confirmation } = toolCall;
    return {
      turnId,
      toolCallId,
      tool: shortened(displayName, MAX_TITLE),
      message: shortened(confirmation.title ?? invocationMessage, MAX_QUESTION),
      ...(toolInput !== undefined && { input: shortened(toolInput, MAX_QUESTION) }),
      ...(confirmation.options && { options: confirmation.options.map(toldOption) }),
    };
  }
  if (!request) return { turnId };
  return {
    turnId,
    requestId: request.requestId,
    title: shortened(request.title, MAX_TITLE),
    message: shortened(request.message, MAX_QUESTION),
    ...(request.options && { options: request.options.map(toldOption) }),
    ...(request.allowText && { takesText: true }),
    ...(request.form && JSON.stringify(request.form).length <= MAX_FORM && { form: request.form }),
  };
}

const MAX_FORM = 8_000;

function toldOption({
  id,
  label,
  kind,
}: {
  readonly id: string;
  readonly label: string;
  readonly kind?: string;
}): object {
  return { id, label: shortened(label, MAX_TITLE), ...(kind !== undefined && { kind }) };
}
