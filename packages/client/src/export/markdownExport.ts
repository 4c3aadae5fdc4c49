import type { CompletedToolCall, ResponsePart, SessionSummary, Turn } from '@agenthost/protocol';
import { dateOf, viewToolOutput } from '@agenthost/protocol/internal';
import { contentLine, resultContents } from './contentLine.js';
import { safeCommand, safeLine, safeText } from './safeText.js';
import { by, OWN_TURN, titleOf } from './sessionTexts.js';

/** For readers: messages as quotes, answers unchanged, tools as lines with their output below. */
export async function* markdownExport(summary: SessionSummary, turns: AsyncIterable<Turn>): AsyncGenerator<string> {
  yield `# ${titleOf(summary)}\n\n`;
  yield `${summary.provider}, ${dateOf(summary.createdAt).toISOString()}, \`${summary.resource}\`\n`;
  let last: Turn | undefined;
  for await (const turn of turns) {
    // A turn with very many steps comes in pieces.
    const isNew = turn.id !== last?.id;
    if (last && isNew) yield turnEnd(last);
    if (isNew) yield turnStart(turn);
    yield* turn.responseParts.map((part) => paragraph(partMarkdown(part, turn.toolCalls)));
    last = turn;
  }
  if (last) yield turnEnd(last);
}

function turnStart({ userMessage, by: author, startedAt, origin }: Turn): string {
  const quoted = (origin === 'agent' ? OWN_TURN : safeText(userMessage.text))
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
  const when = dateOf(startedAt).toISOString().replace('T', ' ').slice(0, 16);
  return `\n## ${when}${by(author)}\n${paragraph(quoted)}`;
}

function turnEnd({ state, error }: Turn): string {
  if (state === 'complete') return '';
  const why = error ? `: ${safeLine(error.message)}` : '';
  return paragraph(`**${state === 'cancelled' ? 'Stopped' : 'Failed'}**${why}`);
}

function paragraph(text: string): string {
  return text === '' ? '' : `\n${text}\n`;
}

function partMarkdown(part: ResponsePart, toolCalls: readonly CompletedToolCall[]): string {
  switch (part.kind) {
    case 'markdown':
      return safeText(part.content).trim();
    case 'reasoning':
      return `<details><summary>Reasoning</summary>\n\n${escapeHtml(safeText(part.content).trim())}\n\n</details>`;
    case 'toolCall':
      return toolMarkdown(toolCalls.find(({ toolCallId }) => toolCallId === part.toolCallId));
    case 'steering':
      return `> ${safeText(part.userMessage.text).replaceAll('\n', '\n> ')}`;
    case 'notice':
      return `*${safeLine(part.text)}*`;
    case 'contentRef':
      return `*${contentLine(part.ref)}*`;
  }
}

function toolMarkdown(call: CompletedToolCall | undefined): string {
  if (!call) return '';
  const line =
    call.status === 'completed'
      ? `${call.result.success ? '✓' : '×'} ${safeLine(call.result.pastTenseMessage)}`
      : `– ${call.cancelled === 'denied' ? 'Denied' : 'Stopped'}: ${safeLine(call.invocationMessage)}`;
  const input = call.toolKind === 'terminal' && call.toolInput ? fenced(`$ ${safeCommand(call.toolInput)}`) : '';
  const view = call.output && viewToolOutput(call.output);
  const output = view ? view.head + (view.omitted > 0 ? `\n… ${view.omitted} characters …\n${view.tail}` : '') : '';
  const contents = resultContents(call).map((ref) => `*${contentLine(ref)}*`);
  return [line, input, output.trim() ? fenced(output) : '', ...contents].filter(Boolean).join('\n\n');
}

/** With a fence that is longer than any in the text. */
function fenced(text: string): string {
  const safe = safeText(text).trimEnd();
  const longest = Math.max(2, ...(safe.match(/`{3,}/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${safe}\n${fence}`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
