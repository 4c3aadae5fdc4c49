import type { SessionHandle } from '@agenthost/client';
import type { ChatReview } from '../chat/chatModel.js';

/** The review of a session of a host, as soon as it is open. */
export function chatReviewOf(opening: () => Promise<SessionHandle>): ChatReview {
  return {
    setComment: async (comment) => (await opening()).dispatch({ type: 'session/commentSet', comment }),
    removeComment: async (commentId) => (await opening()).dispatch({ type: 'session/commentRemoved', commentId }),
    resolveComment: async (commentId, resolved) =>
      (await opening()).dispatch({ type: 'session/commentResolved', commentId, resolved }),
    sendComments: async (text, comments) => {
      const session = await opening();
      const id = crypto.randomUUID();
      const message = { userMessage: { text }, comments };
      const { activeTurn } = session.state.value;
      await session.dispatch(
        activeTurn
          ? { type: 'session/pendingMessageSet', kind: 'queued', id, ...message }
          : { type: 'session/turnStarted', turnId: id, ...message },
      );
      return id;
    },
  };
}
