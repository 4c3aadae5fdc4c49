import type {
  ConfirmationOption,
  PermissionRequest,
  ToolCallResult,
  ToolCallState,
  ToolConfirmed,
  ToolOutput,
  ToolResultContent,
} from '@agenthost/protocol';
import { viewToolOutput } from '@agenthost/protocol/internal';
import type { AhpConfirmed, AhpOption, AhpResultContent, AhpToolCall, AhpToolResult } from '../types.js';
import { fileEditOf } from './fileEdits.js';
import { contentRefOf } from './messages.js';

const CONFIRMED = { user: 'user-action', policy: 'setting', notNeeded: 'not-needed' } as const satisfies Readonly<
  Record<ToolConfirmed['how'], AhpConfirmed>
>;

/** A running call with its own question is shown as a waiting one: AHP asks on the call itself. */
export function toolCallOf(call: ToolCallState, question: PermissionRequest | undefined): AhpToolCall {
  const base = baseOf(call);
  switch (call.status) {
    case 'pendingConfirmation': {
      const { title, options, editable } = call.confirmation;
      return {
        ...unconfirmed(base),
        status: 'pending-confirmation',
        ...(title !== undefined && { confirmationTitle: title }),
        ...(editable !== undefined && { editable }),
        ...(options && { options: options.map(optionOf) }),
      };
    }
    case 'running': {
      if (question) return askedCall(unconfirmed(base), question);
      const content = liveContent(call.output);
      return { ...base, status: 'running', confirmed: CONFIRMED[call.confirmed.how], ...(content && { content }) };
    }
    case 'completed':
      return {
        ...base,
        status: 'completed',
        confirmed: CONFIRMED[call.confirmed.how],
        ...resultOf(call.result, call.output),
      };
    case 'cancelled':
      return {
        ...(call.confirmed ? base : unconfirmed(base)),
        status: 'cancelled',
        reason: call.cancelled === 'denied' ? 'denied' : 'skipped',
        ...(call.cancelled === 'denied' && call.reason !== undefined && { reasonMessage: call.reason }),
      };
  }
}

interface CallMeta {
  readonly toolKind?: string;
  readonly language?: string;
  readonly [key: string]: unknown;
}

function baseOf({
  toolCallId,
  toolName,
  displayName,
  invocationMessage,
  toolInput,
  toolKind,
  language,
}: ToolCallState) {
  return {
    toolCallId,
    toolName,
    displayName,
    // As Markdown: with plain text, VS Code asks without showing the input, and cuts the message at 80 characters.
    invocationMessage: { markdown: invocationMessage },
    // Both also when there is none: a field that an action omits stays unchanged.
    toolInput: toolInput ?? '',
    _meta: { ...(toolKind && { toolKind }), ...(language && { language }) } as CallMeta,
  };
}

/**
 * VS Code has its own confirmation for terminal calls, which replaces the agent's options. So the call is marked as a terminal's
 * only when it was confirmed.
 */
function unconfirmed(base: ReturnType<typeof baseOf>): ReturnType<typeof baseOf> {
  const { toolKind: _, ...meta } = base._meta;
  return { ...base, _meta: meta };
}

/** The call's own texts stay: they are what remains when the turn ends without an answer. */
function askedCall(base: ReturnType<typeof baseOf>, { title, message, options }: PermissionRequest): AhpToolCall {
  return {
    ...base,
    status: 'pending-confirmation',
    confirmationTitle: message && message !== title ? `${title} ${message}` : title,
    ...(options && { options: options.map(({ id, label, kind = 'approve' }) => ({ id, label, kind })) }),
  };
}

function optionOf({ id, label, kind }: ConfirmationOption): AhpOption {
  return { id, label, kind };
}

function resultOf(
  { success, pastTenseMessage, toolOutput, content = [], exitCode, error }: ToolCallResult,
  output: ToolOutput | undefined,
): AhpToolResult {
  const text = toolOutput === undefined ? [] : [{ type: 'text', text: toolOutput } as const];
  const given = [...text, ...content.flatMap(resultContentOf)];
  const shown = given.length > 0 ? given : (liveContent(output) ?? []);
  const failed = exitCode !== undefined && exitCode !== 0 && !error ? { message: `exit code ${exitCode}` } : error;
  return {
    success,
    pastTenseMessage,
    ...(shown.length > 0 && { content: shown }),
    ...(failed && !success && { error: failed }),
  };
}

function resultContentOf(piece: ToolResultContent): AhpResultContent[] {
  switch (piece.type) {
    case 'text':
      return [{ type: 'text', text: piece.text }];
    case 'contentRef':
      return [{ type: 'resource', ...contentRefOf(piece.ref) }];
    case 'fileEdit': {
      const edit = fileEditOf(piece);
      if (edit) return [{ type: 'fileEdit', ...edit }];
      return piece.diff ? [{ type: 'text', text: piece.diff }] : [];
    }
  }
}

function liveContent(output: ToolOutput | undefined): AhpResultContent[] | undefined {
  if (!output) return undefined;
  const { head, omitted, tail } = viewToolOutput(output);
  const text = omitted > 0 ? `${head}\n… ${omitted} characters are left out …\n${tail}` : head;
  const ref = output.ref ? [{ type: 'resource', ...contentRefOf(output.ref) } as const] : [];
  const content = [...(text === '' ? [] : [{ type: 'text', text } as const]), ...ref];
  return content.length > 0 ? content : undefined;
}
