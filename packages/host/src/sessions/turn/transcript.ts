import type { ResponsePart, ToolCallState, Turn, UserMessage } from '@agenthost/protocol';
import type { Transcript } from '../../agents/agent.js';

/** In code units. A whole transcript costs an agent some 15,000 tokens, once. */
const MAX_LENGTH = 60_000;
const MAX_MESSAGE = 8_000;
const MAX_ANSWER = 8_000;
const MAX_TOOL_INPUT = 600;
const MAX_TOOL_OUTPUT = 600;
const MAX_PLAN = 4_000;
/** Of one turn; more calls are only counted. */
const MAX_CALLS = 40;

/** Pages of ended turns, from the newest to the oldest. */
export type TurnPages = (
  before: string | undefined,
) => Promise<{ readonly turns: readonly Turn[]; readonly hasMore: boolean }>;

interface TranscriptOptions {
  readonly pages: TurnPages;
  /** The agent's plan, if it has one that is not done. */
  readonly plan?: string | undefined;
  readonly maxLength?: number;
}

/**
 * What was said and done in a session, as text for an agent that was not there. The newest turns come first in line for the room
 * that there is; of an older turn that does not fit, nothing is written. `undefined` when there is no ended turn.
 */
export async function writeTranscript(options: TranscriptOptions): Promise<Transcript | undefined> {
  const { pages, plan, maxLength = MAX_LENGTH } = options;
  const texts: string[] = [];
  let room = maxLength;
  let before: string | undefined;
  let hasMore = true;
  while (hasMore && room > 0) {
    const page = await pages(before);
    hasMore = page.hasMore;
    for (const turn of page.turns.toReversed()) {
      before = turn.id;
      if (isOfHost(turn)) continue;
      const text = turnText(turn);
      room -= text.length;
      // One turn in any case.
      if (room < 0 && texts.length > 0) {
        hasMore = true;
        break;
      }
      texts.push(text);
    }
    if (page.turns.length === 0) break;
  }
  if (texts.length === 0) return undefined;
  const parts = [...(hasMore ? ['(Earlier turns are left out.)'] : []), ...texts.reverse()];
  if (plan) parts.push(`Plan:\n${shortened(plan, MAX_PLAN)}`);
  return { text: parts.join('\n\n'), turns: texts.length, isWhole: !hasMore };
}

/** Only notices: the host says what was done to the session. */
function isOfHost({ origin, responseParts }: Turn): boolean {
  return origin === 'agent' && responseParts.every(({ kind }) => kind === 'notice');
}

type ToldTurn = Pick<Turn, 'userMessage' | 'origin' | 'responseParts' | 'earlierParts' | 'error'> & {
  readonly toolCalls: readonly ToolCallState[];
  readonly state?: Turn['state'];
};

/** One turn as text, without a state while it runs. Each message and output in it is bounded. */
export function turnText(turn: ToldTurn): string {
  const { userMessage, origin, responseParts, earlierParts, toolCalls, state, error } = turn;
  const calls = new Map(toolCalls.map((call) => [call.toolCallId, call]));
  const shownCalls = new Set(toolCalls.slice(-MAX_CALLS).map(({ toolCallId }) => toolCallId));
  const lines = [origin === 'agent' ? '## The agent, by itself' : `## User\n${messageText(userMessage)}`, '## Agent'];
  if (earlierParts) lines.push('(The beginning of this answer is left out.)');
  let isCounted = false;
  for (const part of responseParts) {
    if (part.kind !== 'toolCall') lines.push(partText(part));
    else if (shownCalls.has(part.toolCallId)) lines.push(callText(calls.get(part.toolCallId)));
    else if (!isCounted) {
      lines.push(`(${toolCalls.length - MAX_CALLS} tool calls are left out.)`);
      isCounted = true;
    }
  }
  if (state === 'cancelled') lines.push('(The user stopped this turn.)');
  if (state === 'error') lines.push(`(This turn failed: ${shortened(error?.message ?? 'no reason is known', 500)})`);
  return lines.filter((line) => line !== '').join('\n');
}

function messageText({ text, attachments = [] }: UserMessage): string {
  const attached = attachments.map(({ label, uri }) => `(Attached: ${shortened(uri ?? label, 300)})`);
  return [shortened(text, MAX_MESSAGE), ...attached].join('\n');
}

/** Reasoning is the agent's own, and notices are the host's. */
function partText(part: Exclude<ResponsePart, { readonly kind: 'toolCall' }>): string {
  if (part.kind === 'markdown') return shortened(part.content, MAX_ANSWER);
  if (part.kind === 'steering') return `(The user added: ${messageText(part.userMessage)})`;
  if (part.kind === 'contentRef')
    return `(Content of type ${part.ref.mimeType ?? 'unknown'}, which is not repeated here.)`;
  return '';
}

function callText(call: ToolCallState | undefined): string {
  if (!call) return '';
  const input = call.toolInput === undefined ? '' : `: ${shortened(call.toolInput, MAX_TOOL_INPUT)}`;
  const head = `[${call.displayName}${input}]`;
  if (call.status === 'pendingConfirmation') return `${head} waits for an answer`;
  if (call.status === 'running') return `${head} runs`;
  if (call.status === 'cancelled') return `${head} not run${call.reason ? `: ${shortened(call.reason, 300)}` : ''}`;
  const { result, output } = call;
  const files = (result.content ?? []).flatMap((one) =>
    one.type === 'fileEdit' ? [`changed ${one.uri} (+${one.insertions} -${one.deletions})`] : [],
  );
  const said = result.toolOutput ?? output?.text ?? '';
  const outcome = result.success ? '' : ' failed';
  const shown = said === '' ? '' : `\n${shortened(said, MAX_TOOL_OUTPUT)}`;
  return `${head}${outcome}${files.length > 0 ? ` ${files.slice(0, 20).join(', ')}` : ''}${shown}`;
}

/** Keeps the head and the tail: what a command was asked, and how it ended. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor(max / 2);
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters …]\n${text.slice(-half)}`;
}
