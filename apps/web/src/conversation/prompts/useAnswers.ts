import { AnsweredElsewhereError, type ChatModel } from '@agenthost/sessions';
import { useMemo } from 'react';
import type { ChatContext } from '../chatContext.js';

/** Answers to prompts. A lost race is passed to `onLost`: the prompt itself is gone by then. */
export function useAnswers(
  model: ChatModel,
  onLost: (message: string) => void,
): Pick<ChatContext, 'approve' | 'deny' | 'answer'> {
  // biome-ignore lint/correctness/useExhaustiveDependencies: `onLost` only shows a message
  return useMemo(() => {
    const orLost = async (answering: Promise<void>) => {
      try {
        await answering;
      } catch (error) {
        if (!(error instanceof AnsweredElsewhereError)) throw error;
        onLost(error.message);
      }
    };
    return {
      approve: (turnId, id, options) => orLost(model.confirm(turnId, id, { approved: true, ...options })),
      deny: (turnId, id, options) => orLost(model.confirm(turnId, id, { approved: false, ...options })),
      answer: (turnId, id, answer) => orLost(model.answer(turnId, id, answer)),
    };
  }, [model]);
}
