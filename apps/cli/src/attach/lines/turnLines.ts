import { by, contentLine, OWN_TURN, resultContents } from '@agenthost/client/internal';
import type { ActiveTurn, ContentRef, ResponsePart, ToolCallState, Turn, UserMessage } from '@agenthost/protocol';
import { CallTree, viewToolOutput } from '@agenthost/protocol/internal';
import { safeCommand, safeLine, safeText } from '../../text/safeText.js';
import { GLYPH } from '../../text/style.js';
import { fit } from '../../text/width.js';
import { ofClient } from '../../turn/toolLine.js';
import { callOf } from '../../turn/turnReader.js';
import { EMPTY, type Line, lineOf, type Tone } from './line.js';
import { wrapText } from './wrapText.js';

const OUTPUT_LINES = 8;

/** A turn as lines of the screen: the message, then its answer, without the call that is asked about elsewhere. */
export function turnLines(turn: ActiveTurn | Turn, columns: number, askedCallId?: string): Line[] {
  const tree = new CallTree();
  return [
    ...(turn.origin === 'agent'
      ? [lineOf(fit(OWN_TURN, columns), 'dim')]
      : messageLines(turn.userMessage, columns, safeLine(by(turn.by).trim()))),
    EMPTY,
    ...earlierLines(turn, columns),
    ...turn.responseParts
      .filter((part) => askedCallId === undefined || part.kind !== 'toolCall' || part.toolCallId !== askedCallId)
      .flatMap((part) => partLines(part, turn, columns, tree)),
    ...endLines(turn, columns),
  ];
}

function earlierLines({ earlierParts = 0 }: ActiveTurn | Turn, columns: number): Line[] {
  if (earlierParts === 0) return [];
  const text = `… ${earlierParts.toLocaleString('en')} earlier steps; agenthost log shows them`;
  return [lineOf(fit(text, columns), 'dim'), EMPTY];
}

function messageLines({ text, attachments = [] }: UserMessage, columns: number, author: string): Line[] {
  const lines = wrapText(safeText(text).trimEnd(), columns - 2);
  return [
    ...(author ? [lineOf(`  ${author}`, 'dim')] : []),
    ...lines.map(
      (line, at): Line => [
        { text: at === 0 ? '› ' : '  ', tone: 'dim' },
        { text: line, tone: 'bold' },
      ],
    ),
    ...attachments.map(({ label }) => lineOf(`  + ${fit(safeLine(label), columns - 4)}`, 'dim')),
  ];
}

function partLines(part: ResponsePart, turn: ActiveTurn | Turn, columns: number, tree: CallTree): Line[] {
  switch (part.kind) {
    case 'markdown':
      return part.content.trim() === '' ? [] : [...markdownLines(part.content, columns), EMPTY];
    case 'reasoning':
      return [lineOf(fit(`· Thought: ${safeLine(part.content)}`, columns), 'dim'), EMPTY];
    case 'toolCall': {
      const call = callOf(turn, part.toolCallId);
      if (!call) return [];
      // Calls of a sub-agent are indented under the call that started it.
      const indent = '  '.repeat(tree.place(call).depth);
      const lines = toolLines(call, columns - indent.length);
      return [...(indent === '' ? lines : lines.map((line): Line => [{ text: indent, tone: 'dim' }, ...line])), EMPTY];
    }
    case 'steering':
      return [...messageLines(part.userMessage, columns, ''), EMPTY];
    case 'notice':
      return [...marked('!', safeLine(part.text), columns, part.severity === 'error' ? 'error' : 'needs'), EMPTY];
    case 'contentRef':
      return [...contentLines(part.ref, '· ', columns), EMPTY];
  }
}

/** Content that cannot be shown here: its kind and its address. */
function contentLines(ref: ContentRef, mark: string, columns: number): Line[] {
  return wrapText(`${mark}${contentLine(ref)}`, columns).map((line) => lineOf(line, 'dim'));
}

/** Markdown source with highlighted headings and dimmed code. */
function markdownLines(content: string, columns: number): Line[] {
  let isCode = false;
  return safeText(content)
    .trim()
    .split('\n')
    .flatMap((line) => {
      const isFence = /^\s*(```|~~~)/.test(line);
      if (isFence) isCode = !isCode;
      const tone: Tone = isCode || isFence ? 'dim' : /^#{1,6} /.test(line) ? 'bold' : 'text';
      return wrapText(line, columns).map((text) => lineOf(text, tone));
    });
}

/** A line for a call; a terminal call also shows its command, and the end of its output. */
function toolLines(call: ToolCallState, columns: number): Line[] {
  const { glyph, tone, text } = toolHead(call);
  const head = [
    ...marked(glyph, text, columns, tone),
    ...resultContents(call).flatMap((ref) => contentLines(ref, '  ', columns)),
  ];
  if (call.toolKind !== 'terminal') return head;
  const command = wrapText(safeCommand(call.toolInput ?? ''), columns - 4).map((line, at) =>
    lineOf(`  ${at === 0 ? '$' : ' '} ${line}`, 'text'),
  );
  if (call.status === 'pendingConfirmation' || !call.output) return [...head, ...command];
  const { head: start, omitted, tail } = viewToolOutput(call.output);
  const output = wrapText(safeText(omitted > 0 ? tail : start).trimEnd(), columns - 4).filter((line) => line !== '');
  const hidden = omitted > 0 ? ['…'] : output.length > OUTPUT_LINES ? [`… ${output.length - OUTPUT_LINES} lines`] : [];
  const shown = [...hidden, ...output.slice(-OUTPUT_LINES)].map((line) => lineOf(`    ${line}`, 'dim'));
  return [...head, ...command, ...shown];
}

function toolHead(call: ToolCallState): { readonly glyph: string; readonly tone: Tone; readonly text: string } {
  const head = bareHead(call);
  return { ...head, text: `${head.text}${ofClient(call)}` };
}

function bareHead(call: ToolCallState): { readonly glyph: string; readonly tone: Tone; readonly text: string } {
  switch (call.status) {
    case 'pendingConfirmation':
      return {
        glyph: GLYPH.inputNeeded,
        tone: 'needs',
        text: safeLine(call.confirmation.title ?? call.invocationMessage),
      };
    case 'running':
      return { glyph: GLYPH.inProgress, tone: 'run', text: safeLine(call.invocationMessage) };
    case 'completed': {
      const { success, pastTenseMessage, error } = call.result;
      const why = success || !error ? '' : `: ${safeLine(error.message)}`;
      return {
        glyph: success ? GLYPH.done : GLYPH.error,
        tone: success ? 'done' : 'error',
        text: `${safeLine(pastTenseMessage)}${why}`,
      };
    }
    case 'cancelled': {
      const what = call.cancelled === 'denied' ? `Denied${by(call.confirmed?.by)}` : 'Stopped';
      return { glyph: '–', tone: 'dim', text: `${what}: ${safeLine(call.invocationMessage)}` };
    }
  }
}

function endLines(turn: ActiveTurn | Turn, columns: number): Line[] {
  if (!('state' in turn)) return [];
  if (turn.state === 'cancelled') return [lineOf('– Stopped', 'dim'), EMPTY];
  if (turn.state === 'error')
    return [...marked(GLYPH.error, safeLine(turn.error?.message ?? 'The turn failed.'), columns, 'error'), EMPTY];
  return [];
}

function marked(glyph: string, text: string, columns: number, tone: Tone): Line[] {
  return wrapText(text, columns - 2).map(
    (line, at): Line => [
      { text: at === 0 ? `${glyph} ` : '  ', tone },
      { text: line, tone: tone === 'error' ? 'error' : 'text' },
    ],
  );
}
