// Events as @github/copilot-sdk 1.0.14 sent them, cut down to one session's essentials.
import type { SdkEvent, SdkEventData } from '../../../src/agents/copilot/sdk.js';

const event = (type: string, data: unknown, agentId?: string): SdkEvent => ({
  type,
  data,
  ...(agentId !== undefined && { agentId }),
});

export const message = (messageId: string, content: string, reasoningText?: string): SdkEvent =>
  event('assistant.message', { messageId, content, toolRequests: [], turnId: '0', reasoningText });

export const usage = event('assistant.usage', {
  model: 'm',
  inputTokens: 10,
  outputTokens: 5,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cost: 0,
  duration: 34,
  initiator: 'user',
  quotaSnapshots: {},
});

export const answer: readonly SdkEvent[] = [
  event('user.message', { content: 'hello', messageId: 'u1', delivery: 'idle', turnId: '0' }),
  event('assistant.turn_start', { turnId: '0' }),
  event('session.usage_info', { tokenLimit: 128_000, currentTokens: 7_262, messagesLength: 2 }),
  event('assistant.reasoning_delta', { reasoningId: 'r1', deltaContent: 'Let me think.' }),
  event('assistant.reasoning', { reasoningId: 'r1', content: 'Let me think.' }),
  event('assistant.message_start', { messageId: 'm1' }),
  event('assistant.streaming_delta', { totalResponseSizeBytes: 12 }),
  event('assistant.message_delta', { messageId: 'm1', deltaContent: 'Hello, ' }),
  event('assistant.message_delta', { messageId: 'm1', deltaContent: 'world!' }),
  usage,
  message('m1', 'Hello, world!', 'Let me think.'),
  event('assistant.turn_end', { turnId: '0' }),
  event('assistant.idle', {}),
];

export const toolStart = event('tool.execution_start', {
  toolCallId: 'call-1',
  toolName: 'bash',
  arguments: { command: 'echo hi', description: 'a test' },
  turnId: '0',
  shellToolInfo: { possiblePaths: [], hasWriteFileRedirection: false },
});

export const permission: SdkEventData['permission.requested'] = {
  requestId: 'request-1',
  permissionRequest: {
    kind: 'shell',
    toolCallId: 'call-1',
    fullCommandText: 'echo hi',
    intention: 'a test',
    commands: [{ identifier: 'echo hi' }],
    canOfferSessionApproval: false,
  },
};

export const urlPermission: SdkEventData['permission.requested'] = {
  requestId: 'request-2',
  permissionRequest: { kind: 'url', intention: 'Fetch it', url: 'https://example.com/x' },
};

/** Each repeats what came before it. */
export const output: readonly SdkEvent[] = ['hi\n', 'hi\nthere\n', 'hi\nthere\n'].map((partialOutput) =>
  event('tool.execution_partial_result', { toolCallId: 'call-1', partialOutput }),
);

export const toolComplete = event('tool.execution_complete', {
  toolCallId: 'call-1',
  turnId: '0',
  shellExecution: { exitCode: 0 },
  success: true,
  result: {
    content: 'hi\nthere\n<shellId: 0 completed with exit code 0>',
    detailedContent: 'hi\nthere\n<shellId: 0 completed with exit code 0>',
    contents: [{ type: 'shell_exit', shellId: '0', exitCode: 0, cwd: '/work' }],
  },
});

export const subAgent: readonly SdkEvent[] = [
  event('subagent.started', { agentDisplayName: 'looker', agentDescription: 'look around', agentName: 'task' }, 'a1'),
  event('assistant.message_delta', { messageId: 'm9', deltaContent: 'inner words' }, 'a1'),
  event('tool.execution_start', { toolCallId: 'call-9', toolName: 'bash', arguments: { command: 'ls' } }, 'a1'),
  event('tool.execution_complete', { toolCallId: 'call-9', success: true, result: { content: '' } }, 'a1'),
  event('assistant.message', { messageId: 'm9', content: 'inner words' }, 'a1'),
  event('subagent.completed', { agentDisplayName: 'looker' }, 'a1'),
];
