import type { ActiveTurn, ResponsePart, SessionState, ToolCallState, Turn } from '@agenthost/protocol';
import { lineText } from '../turn/ToolLine.js';

export interface Announcement {
  readonly key: string;
  readonly text: string;
}

/** Longer than people want to hear; the text itself can be read. */
const LONGEST = 600;

/**
 * What a screen reader announces of the newest turn, in order: finished paragraphs, finished tools, questions, the end. An
 * announcement keeps its key.
 */
export function announcements({ activeTurn, turns }: Pick<SessionState, 'activeTurn' | 'turns'>): Announcement[] {
  if (activeTurn) return [...ofParts(activeTurn, (id) => activeTurn.toolCalls[id], true), ...questions(activeTurn)];
  const last = turns.at(-1);
  if (!last) return [];
  const calls = new Map(last.toolCalls.map((call) => [call.toolCallId, call]));
  return [...ofParts(last, (id) => calls.get(id), false), { key: `${last.id} end`, text: ending(last) }];
}

function ofParts(
  turn: ActiveTurn | Turn,
  callOf: (id: string) => ToolCallState | undefined,
  running: boolean,
): Announcement[] {
  return turn.responseParts.flatMap((part, index) =>
    ofPart(part, callOf, running && index === turn.responseParts.length - 1),
  );
}

function ofPart(
  part: ResponsePart,
  callOf: (id: string) => ToolCallState | undefined,
  isGrowing: boolean,
): Announcement[] {
  if (part.kind === 'markdown') {
    const all = paragraphs(part.content);
    const finished = isGrowing ? all.slice(0, -1) : all;
    return finished.flatMap((text, index) => (text === '' ? [] : [{ key: `${part.id} ${index}`, text }]));
  }
  if (part.kind === 'notice') return [{ key: part.id, text: part.text }];
  const call = part.kind === 'toolCall' ? callOf(part.toolCallId) : undefined;
  if (!call || call.status === 'running') return [];
  if (call.status !== 'pendingConfirmation') return [{ key: `${call.toolCallId} done`, text: plain(lineText(call)) }];
  const title = call.confirmation.title ?? call.invocationMessage;
  return [{ key: `${call.toolCallId} asks`, text: `Needs your answer: ${plain(title)}` }];
}

function questions({ pendingPermissions }: ActiveTurn): Announcement[] {
  return Object.values(pendingPermissions).map(({ requestId, title }) => ({
    key: `${requestId} asks`,
    text: `Needs your answer: ${plain(title)}`,
  }));
}

function ending({ state, error }: Turn): string {
  if (state === 'cancelled') return 'Stopped.';
  return state === 'error' ? `Failed: ${error?.message ?? 'no reason was given'}` : 'Done.';
}

/** Blocks between blank lines; code is one block, and is named instead of read. */
function paragraphs(markdown: string): string[] {
  const found: string[] = [];
  let open = '';
  let fence: string | undefined;
  const end = () => {
    if (open.trim() !== '') found.push(plain(open));
    open = '';
  };
  const lines = markdown.split('\n');
  // No blank line yet: more of it may come.
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) {
        fence = undefined;
        found.push('Code.');
      }
    } else if (mark) {
      end();
      fence = mark;
    } else if (line.trim() === '') end();
    else open += `${line}\n`;
  }
  // The last one may still grow: it is empty after a blank line or the end of code.
  if (fence !== undefined) found.push('Code.');
  else found.push(plain(open));
  return found;
}

function plain(markdown: string): string {
  const text = markdown
    .replace(/^[ \t]*(?:#{1,6} |>|[-*+] (?:\[[ x]\] )?)/gm, '')
    .replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
    .replace(/[`*_~|]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
}
