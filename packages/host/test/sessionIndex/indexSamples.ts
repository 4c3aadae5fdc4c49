import type { SessionSummary, Turn } from '@agenthost/protocol';
import type { FinishedToolCall } from '@agenthost/protocol/internal';

export function summary(id: string, fields: Partial<SessionSummary> = {}): SessionSummary {
  return {
    resource: `mock:/${id}`,
    provider: 'mock',
    title: '',
    createdAt: 1,
    modifiedAt: 1,
    status: 'idle',
    isRead: true,
    isArchived: false,
    ...fields,
  };
}

export function turn(id: string, text: string, fields: Partial<Turn> = {}): Turn {
  return {
    id,
    userMessage: { text },
    responseParts: [],
    toolCalls: [],
    state: 'complete',
    startedAt: 1,
    endedAt: 2,
    ...fields,
  };
}

export function toolCall(fields: Partial<FinishedToolCall> = {}): FinishedToolCall {
  return {
    status: 'completed',
    toolCallId: 'c',
    toolName: 'run',
    displayName: 'Run',
    invocationMessage: '',
    confirmed: { how: 'user' },
    result: { success: true, pastTenseMessage: '' },
    startedAt: 1,
    endedAt: 2,
    ...fields,
  };
}
