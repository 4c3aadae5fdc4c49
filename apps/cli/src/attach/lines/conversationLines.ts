import type { SessionState, Turn } from '@agenthost/protocol';
import { safeLine } from '../../text/safeText.js';
import { GLYPH } from '../../text/style.js';
import { fit } from '../../text/width.js';
import { isConfirmation, type Prompt } from '../../turn/prompt.js';
import { type Line, lineOf } from './line.js';
import { turnLines } from './turnLines.js';

/** An ended turn never changes: its lines are computed once for each width. */
const known = new WeakMap<Turn, { readonly columns: number; readonly lines: readonly Line[] }>();

/** `asked` is the question below the conversation: it is not shown twice. */
export function conversationLines(state: SessionState, columns: number, asked?: Prompt): readonly Line[] {
  const { turns, activeTurn, earlierTurns = 0, summary, lifecycle, creationError } = state;
  const lines: Line[] = [];
  if (earlierTurns > 0) lines.push(lineOf(`… ${earlierTurns} earlier turns; Page Up loads them`, 'dim'));
  for (const turn of turns) lines.push(...endedLines(turn, columns));
  if (activeTurn) {
    lines.push(
      ...turnLines(activeTurn, columns, asked && isConfirmation(asked) ? asked.toolCall.toolCallId : undefined),
    );
    lines.push(lineOf(fit(`${GLYPH.inProgress} ${safeLine(summary.activity ?? 'Working')}…`, columns), 'run'));
  }
  if (lifecycle === 'creating') lines.push(lineOf('The agent is starting…', 'dim'));
  if (lifecycle === 'creationFailed') {
    lines.push(
      lineOf(fit(`${GLYPH.error} ${safeLine(creationError?.message ?? 'The agent did not start.')}`, columns), 'error'),
    );
  }
  return lines;
}

function endedLines(turn: Turn, columns: number): readonly Line[] {
  const cached = known.get(turn);
  if (cached?.columns === columns) return cached.lines;
  const lines = turnLines(turn, columns);
  known.set(turn, { columns, lines });
  return lines;
}
