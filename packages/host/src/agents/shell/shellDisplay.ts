import type { StandingApproval, ToolCallResult, ToolCallStart } from '@agenthost/protocol';
import { oneLine } from '../events/boundedText.js';
import { inlineCode } from '../events/markdownCode.js';
import type { CommandOutcome } from './shellCommand.js';

const MAX_TITLE = 60;

/** The standing approval; its id is that of the option, too. */
export const ALWAYS: StandingApproval = { id: 'always', covers: 'Every command in this session', isRevocable: true };

export const HELP = "Type a command: it runs in the session's folder, after you have allowed it.";

export function titleOf(command: string): string {
  return oneLine(command, MAX_TITLE);
}

export function invocationOf(command: string): string {
  return `Running ${inlineCode(command)}`;
}

/** A call that asks, or one that "always in this session" allowed before. */
export function announcement(toolCallId: string, command: string, how: 'ask' | 'policy'): ToolCallStart {
  const base = {
    toolCallId,
    toolName: 'shell',
    displayName: 'Terminal',
    invocationMessage: invocationOf(command),
    toolKind: 'terminal',
    language: 'shellscript',
    toolInput: command,
    takesInput: true,
  } as const;
  if (how === 'policy') return { ...base, status: 'running', confirmed: { how: 'policy', optionId: ALWAYS.id } };
  return {
    ...base,
    status: 'pendingConfirmation',
    confirmation: {
      title: 'Run this command?',
      editable: true,
      options: [
        { id: 'once', label: 'Allow once', kind: 'approve' },
        { id: ALWAYS.id, label: 'Always allow in this session', kind: 'approve', covers: ALWAYS.covers },
        { id: 'deny', label: 'Deny', kind: 'deny' },
      ],
    },
  };
}

export function resultOf(command: string, { exitCode, signal }: CommandOutcome, aborted: boolean): ToolCallResult {
  if (aborted) {
    const error = { message: 'The command was cancelled.', code: 'cancelled' };
    return { success: false, pastTenseMessage: `Cancelled ${inlineCode(command)}`, exitCode, error };
  }
  const end = signal === undefined ? `exit ${exitCode}` : `ended by ${signal}`;
  const result = { success: exitCode === 0, pastTenseMessage: `Ran ${inlineCode(command)} (${end})`, exitCode };
  return signal === undefined ? result : { ...result, error: { message: `Ended by ${signal}.`, code: signal } };
}

export function unrunnable(command: string, message: string): ToolCallResult {
  return { success: false, pastTenseMessage: `Could not run ${inlineCode(command)}`, error: { message } };
}
