import type {
  ClientAction,
  PendingToolCall,
  PermissionOption,
  PermissionRequest,
  SessionState,
} from '@agenthost/protocol';
import { ownValue, TRUST_REQUEST } from '@agenthost/protocol/internal';

/** A question that somebody has to answer. */
export interface Question {
  readonly turnId: string;
  /** One of the two. */
  readonly toolCallId?: string;
  readonly requestId?: string;
  /** What is asked: the command, or the words of the agent. */
  readonly text: string;
  /** `text` is all that an answer is about. */
  readonly isWhole: boolean;
  /** Yes and no are answers to it, without another choice. */
  readonly takesYesOrNo: boolean;
  readonly canBeAllowed: boolean;
  /** What an answer is, for its role. */
  readonly answer: (approved: boolean) => Pick<ClientAction, 'type'> & Readonly<Record<string, unknown>>;
}

export interface ClosedQuestion extends Question {
  /** Who answered, if anybody did. */
  readonly by: string | undefined;
}

type EndedTurn = SessionState['turns'][number];

/** What happened in a session that somebody may want to know. */
export interface Attention {
  readonly opened: readonly Question[];
  readonly closed: readonly ClosedQuestion[];
  readonly ended: EndedTurn | undefined;
}

/** Cheap where nothing of interest changed: it is asked for each piece of streamed text. */
export function attentionOf(before: SessionState, after: SessionState): Attention | undefined {
  const [was, is] = [before.activeTurn, after.activeTurn];
  const ended = was && was.id !== is?.id ? after.turns.findLast(({ id }) => id === was.id) : undefined;
  const isAsked = [before, after].some(({ summary }) => summary.status === 'inputNeeded');
  const isSame = was?.toolCalls === is?.toolCalls && was?.pendingPermissions === is?.pendingPermissions;
  if (!ended && (!isAsked || isSame)) return undefined;
  const [old, current] = [questionsOf(before), questionsOf(after)];
  const opened = [...current].filter(([key]) => !old.has(key)).map(([, question]) => question);
  const closed = [...old]
    .filter(([key]) => !current.has(key))
    .map(([, question]) => ({ ...question, by: answererOf(question, after) }));
  return opened.length > 0 || closed.length > 0 || ended ? { opened, closed, ended } : undefined;
}

export function questionKey({ turnId, toolCallId, requestId }: Question): string {
  return `${turnId}\0${toolCallId ?? ''}\0${requestId ?? ''}`;
}

function questionsOf({ activeTurn, summary }: SessionState): ReadonlyMap<string, Question> {
  if (!activeTurn || summary.status !== 'inputNeeded') return new Map();
  const { id, toolCalls, pendingPermissions } = activeTurn;
  const calls = Object.values(toolCalls).filter((call) => call.status === 'pendingConfirmation');
  const questions = [
    ...calls.map((call) => ofCall(id, call)),
    ...Object.values(pendingPermissions).map((request) => ofRequest(id, request)),
  ];
  return new Map(questions.map((question) => [questionKey(question), question]));
}

function ofCall(turnId: string, call: PendingToolCall): Question {
  const { toolCallId, toolInput, toolInputRef, displayName, invocationMessage, confirmation } = call;
  const what = confirmation.title ?? displayName;
  return {
    turnId,
    toolCallId,
    text: `${what}\n${toolInput ?? invocationMessage}`,
    isWhole: toolInput !== undefined && toolInputRef === undefined,
    takesYesOrNo: true,
    canBeAllowed: hasPlainApproval(confirmation.options),
    answer: (approved) => ({ type: 'session/toolCallConfirmed', turnId, toolCallId, approved }),
  };
}

function ofRequest(turnId: string, { requestId, kind, title, message, options }: PermissionRequest): Question {
  return {
    turnId,
    requestId,
    text: `${title}\n${message}`,
    isWhole: true,
    takesYesOrNo: kind === 'permission',
    // Trust counts for all sessions from then on: it is given where all of it can be read.
    canBeAllowed: !requestId.startsWith(TRUST_REQUEST) && hasPlainApproval(options),
    answer: (approved) => ({ type: 'session/permissionResolved', turnId, requestId, approved }),
  };
}

/** Whether "allow" without a choice is an answer: the host refuses it where every approving option must be chosen by its id. */
function hasPlainApproval(options: readonly PermissionOption[] = []): boolean {
  const approving = options.filter(({ kind }) => kind !== 'deny');
  return options.length === 0 || approving.some(({ explicit }) => explicit !== true);
}

function answererOf({ turnId, toolCallId, requestId }: Question, state: SessionState): string | undefined {
  const active = state.activeTurn?.id === turnId ? state.activeTurn : undefined;
  const ended = state.turns.findLast(({ id }) => id === turnId);
  if (toolCallId !== undefined) {
    const call = active
      ? ownValue(active.toolCalls, toolCallId)
      : ended?.toolCalls.find((one) => one.toolCallId === toolCallId);
    return call && call.status !== 'pendingConfirmation' ? call.confirmed?.by?.name : undefined;
  }
  const answered = (active ?? ended)?.answeredPermissions;
  return answered?.findLast((one) => one.requestId === requestId)?.by?.name;
}
