import type { PermissionResolvedAction, ToolCallConfirmedAction } from '@agenthost/protocol';
import type { Decision } from '../../agents/agent.js';

/** What an answer says, as agents are told it. */
export function decisionIn(action: ToolCallConfirmedAction | PermissionResolvedAction): Decision {
  return {
    approved: action.approved,
    ...(action.optionId !== undefined && { optionId: action.optionId }),
    ...('editedToolInput' in action &&
      action.editedToolInput !== undefined && { editedToolInput: action.editedToolInput }),
    ...('reason' in action && action.reason !== undefined && { reason: action.reason }),
    ...('text' in action && action.text !== undefined && { text: action.text }),
  };
}
