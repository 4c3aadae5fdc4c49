import type { PermissionResolvedAction, ToolCallConfirmedAction } from '@agenthost/protocol/internal';
import type { Decision } from '../agent.js';

/** The open questions of an agent. Each is answered once; other answers are ignored. */
export class PendingAnswers {
  readonly #waiting = new Map<string, (decision: Decision) => void>();

  /** Rejects with the signal's reason if it aborts first. */
  wait(requestId: string, signal: AbortSignal): Promise<Decision> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        this.#waiting.delete(requestId);
        signal.removeEventListener('abort', abort);
      };
      const abort = () => {
        settle();
        reject(signal.reason);
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', abort);
      this.#waiting.set(requestId, (decision) => {
        settle();
        resolve(decision);
      });
    });
  }

  answer(requestId: string, decision: Decision): void {
    this.#waiting.get(requestId)?.(decision);
  }
}

/** An answer as agents get it. */
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
