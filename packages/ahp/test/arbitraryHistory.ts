import type { SessionAction } from '@agenthost/protocol';
import type { PermissionRequestAction } from '@agenthost/protocol/internal';
import * as fc from 'fast-check';
import { anyAction, OPENING } from '../../protocol/test/reducers/arbitraryActions.js';

const PROMPTS: ReadonlySet<string> = new Set<SessionAction['type']>([
  'session/toolStart',
  'session/toolUpdate',
  'session/toolComplete',
  'session/toolCallConfirmed',
  'session/permissionRequest',
  'session/permissionResolved',
]);

/** Calls and questions about them, on few ids: by chance alone two questions hardly ever meet on a call that runs. */
const promptAction = fc
  .tuple(
    anyAction.filter(({ type }) => PROMPTS.has(type)),
    fc.constantFrom('c1', 'c2'),
    fc.constantFrom('q1', 'q2', 'q3'),
    fc.boolean(),
  )
  .map(([action, toolCallId, requestId, more]) => focused(action, toolCallId, requestId, more));

function focused(action: SessionAction, toolCallId: string, requestId: string, more: boolean): SessionAction {
  switch (action.type) {
    case 'session/permissionRequest': {
      const options = [{ id: 'once', label: 'Once', kind: 'approve' as const }];
      const request = { ...action.request, requestId, toolCallId, ...(more && { options }) };
      return { ...action, turnId: 't1', request } satisfies PermissionRequestAction;
    }
    case 'session/permissionResolved':
      return { ...action, turnId: 't1', requestId };
    case 'session/toolStart': {
      const toolCall = {
        ...action.toolCall,
        toolCallId,
        ...(more && { toolInput: 'ls', toolKind: 'terminal' as const }),
      };
      return { ...action, turnId: 't1', toolCall };
    }
    case 'session/toolUpdate':
      return { ...action, turnId: 't1', toolCallId, ...(more && { output: 'x'.repeat(9_000) }) };
    case 'session/toolComplete':
    case 'session/toolCallConfirmed':
      return { ...action, turnId: 't1', toolCallId };
    default:
      return action;
  }
}

const PENDING: ReadonlySet<string> = new Set<SessionAction['type']>([
  'session/pendingMessageSet',
  'session/pendingMessageRemoved',
  'session/queuedMessagesReordered',
  'session/turnStarted',
  'session/turnComplete',
]);

/** Messages that wait, and turns that begin with them. */
const pendingAction = anyAction.filter(({ type }) => PENDING.has(type));

/** What happens in a session: calls, questions, messages that wait, and anything else. */
export const history = fc
  .tuple(
    fc.constantFrom(...Array(9).fill(OPENING), []),
    fc.array(promptAction, { maxLength: 20 }),
    fc.array(pendingAction, { maxLength: 20 }),
    fc.array(anyAction, { maxLength: 40 }),
  )
  .map(([opening, prompts, pending, actions]): SessionAction[] => [...opening, ...prompts, ...pending, ...actions]);
