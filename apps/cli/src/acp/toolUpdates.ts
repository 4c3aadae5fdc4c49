import { fileURLToPath } from 'node:url';
import type { SessionUpdate, ToolCallContent, ToolCallStatus, ToolKind } from '@agentclientprotocol/sdk';
import type { SessionHandle } from '@agenthost/client';
import type { FileEditResultContent, ToolCallState } from '@agenthost/protocol';
import { safeCommand, safeLine, safeText } from '../text/safeText.js';
import type { TurnEvent } from '../turn/turnReader.js';
import { contentBlock } from './contentBlock.js';
import type { ThreadContext } from './editorThread.js';

type ToolEvent = Extract<TurnEvent, { call: ToolCallState }>;

const STATUS: Readonly<Record<ToolCallState['status'], ToolCallStatus>> = {
  pendingConfirmation: 'pending',
  running: 'in_progress',
  completed: 'completed',
  cancelled: 'failed',
};
/** Larger files are shown as a list of differences. */
const MAX_FILE_BYTES = 512 * 1024;
/** Output is sent again as a whole: only when there is this much more of it, in proportion. */
const GROWTH = 1.25;

/** The tool calls of one turn as an editor shows them. */
export class ToolUpdates {
  readonly #session: SessionHandle;
  readonly #context: ThreadContext;
  readonly #calls = new Map<string, { status: ToolCallState['status']; output: number }>();

  constructor(session: SessionHandle, context: ThreadContext) {
    this.#session = session;
    this.#context = context;
  }

  async *read({ call, ...event }: ToolEvent): AsyncGenerator<SessionUpdate> {
    const { toolCallId } = call;
    let known = this.#calls.get(toolCallId);
    const isNew = !known;
    if (!known) {
      known = { status: call.status, output: 0 };
      this.#calls.set(toolCallId, known);
      yield { sessionUpdate: 'tool_call', ...(await this.#announced(call)) };
    }
    const hasEnded = call.status === 'completed' || call.status === 'cancelled';
    if (event.type === 'toolOutput') {
      if (this.#isTerminal(call)) {
        const data = { terminal_id: toolCallId, data: event.text };
        yield { sessionUpdate: 'tool_call_update', toolCallId, _meta: { terminal_output: data } };
      } else if (!hasEnded && outputOf(call).length >= known.output * GROWTH) {
        known.output = outputOf(call).length;
        yield { sessionUpdate: 'tool_call_update', toolCallId, content: [fenced(outputOf(call))] };
      }
    }
    if (!isNew && known.status === call.status) return;
    known.status = call.status;
    if (hasEnded) yield await this.#ended(call);
    else if (!isNew) yield { sessionUpdate: 'tool_call_update', toolCallId, status: STATUS[call.status] };
  }

  #isTerminal({ toolKind }: ToolCallState): boolean {
    return toolKind === 'terminal' && this.#context.traits.terminalOutput;
  }

  async #announced(call: ToolCallState) {
    const { toolCallId } = call;
    const cwd = this.#session.confirmed.value.summary.workingDirectory;
    const folder = cwd?.startsWith('file:') ? { cwd: fileURLToPath(cwd) } : {};
    return {
      toolCallId,
      title: titleOf(call),
      kind: kindOf(call),
      status: STATUS[call.status],
      ...rawInput(call),
      ...(this.#isTerminal(call) && {
        content: [{ type: 'terminal' as const, terminalId: toolCallId }],
        _meta: { terminal_info: { terminal_id: toolCallId, ...folder } },
      }),
    };
  }

  async #ended(call: ToolCallState): Promise<SessionUpdate> {
    const { toolCallId } = call;
    const result = call.status === 'completed' ? call.result : undefined;
    const failed = call.status === 'cancelled' || result?.success === false;
    const edits = result?.content?.filter((content) => content.type === 'fileEdit') ?? [];
    const exit = { terminal_id: toolCallId, exit_code: result?.exitCode ?? null, signal: null };
    return {
      sessionUpdate: 'tool_call_update',
      toolCallId,
      title: safeLine(result?.pastTenseMessage ?? titleOf(call)),
      kind: edits.length > 0 ? 'edit' : kindOf(call),
      status: failed ? 'failed' : 'completed',
      ...(edits.length > 0 && { locations: edits.map(({ uri }) => ({ path: pathOf(uri) })) }),
      ...(this.#isTerminal(call)
        ? { _meta: { terminal_exit: exit } }
        : { content: await this.#contentOf(call, edits.length > 0) }),
    };
  }

  async #contentOf(call: ToolCallState, isEdit: boolean): Promise<ToolCallContent[]> {
    if (call.status === 'cancelled') {
      const why = call.reason ?? (call.cancelled === 'denied' ? 'Denied.' : 'Its turn ended.');
      return [text(safeText(why)), ...(outputOf(call) === '' ? [] : [fenced(outputOf(call))])];
    }
    if (call.status !== 'completed') return [];
    const { content = [], toolOutput, error } = call.result;
    const shown: ToolCallContent[] = [];
    for (const one of content) {
      if (one.type === 'fileEdit') shown.push(await this.#edit(one));
      else if (one.type === 'text') shown.push(fenced(safeText(one.text)));
      else shown.push({ type: 'content', content: await contentBlock(this.#context.host, one.ref) });
    }
    const output = outputOf(call) || safeText(toolOutput ?? '');
    if (output !== '' && !isEdit && !content.some(({ type }) => type === 'text')) shown.push(fenced(output));
    if (error) shown.push(text(safeText(error.message)));
    return shown;
  }

  /** Both files whole, or the differences as text: a fragment would pass as a whole file. */
  async #edit(edit: FileEditResultContent): Promise<ToolCallContent> {
    const { uri, before, after, diff } = edit;
    const isSmall = [before, after].every((ref) => (ref?.sizeHint ?? 0) <= MAX_FILE_BYTES);
    if (after && isSmall) {
      try {
        const [oldText, newText] = await Promise.all([before && this.#file(before.uri), this.#file(after.uri)]);
        return { type: 'diff', path: pathOf(uri), oldText: oldText ?? null, newText };
      } catch {
        // It is gone, or no text: the differences say what is known.
      }
    }
    return fenced(safeText(diff ?? `${pathOf(uri)}: +${edit.insertions} -${edit.deletions}`), 'diff');
  }

  async #file(uri: string): Promise<string> {
    const content = await this.#context.host.fetchContent(uri, { maxBytes: MAX_FILE_BYTES });
    return new TextDecoder('utf-8', { fatal: true }).decode(content.bytes);
  }
}

export function titleOf({ displayName, invocationMessage }: ToolCallState): string {
  return safeLine(invocationMessage || displayName);
}

export function kindOf(call: ToolCallState): ToolKind {
  if (call.toolKind === 'terminal') return 'execute';
  return call.status === 'pendingConfirmation' && call.confirmation.readOnly ? 'read' : 'other';
}

/** All of what would be run, with every character visible. */
export function inputContent(input: string, language: string | undefined): ToolCallContent[] {
  return input === '' ? [] : [fenced(safeCommand(input), language)];
}

function rawInput({ toolInput, toolInputRef }: ToolCallState) {
  if (toolInput === undefined || toolInputRef) return {};
  try {
    return { rawInput: JSON.parse(toolInput) as unknown };
  } catch {
    return { rawInput: { input: toolInput } };
  }
}

/** Bounded: the state has the beginning and the end. */
function outputOf(call: ToolCallState): string {
  return call.status === 'pendingConfirmation' ? '' : safeText(call.output?.text ?? '');
}

/** A fence that is longer than any in the text. */
function fenced(content: string, language = ''): ToolCallContent {
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return text(`${fence}${/^[\w+-]*$/.test(language) ? language : ''}\n${content}\n${fence}`);
}

function text(content: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text: content } };
}

function pathOf(uri: string): string {
  try {
    return fileURLToPath(uri);
  } catch {
    return uri;
  }
}
