import { MAX_COMMENTS } from '../limits.js';
import { sameValue } from '../sameValue.js';
import type {
  CommentRemovedAction,
  CommentResolvedAction,
  CommentSetAction,
  PendingMessageSetAction,
  TurnStartedAction,
} from '../types/clientActions.js';
import type { ReviewComment, SentComment } from '../types/reviews.js';
import type { SessionState } from '../types/sessionState.js';

export function findComment(state: SessionState, commentId: string): ReviewComment | undefined {
  return state.comments?.find(({ id }) => id === commentId);
}

export function setComment(state: SessionState, { comment, by, at }: CommentSetAction): SessionState {
  const comments = state.comments ?? [];
  const index = comments.findIndex(({ id }) => id === comment.id);
  const before = comments[index];
  if (!before) {
    if (comments.length >= MAX_COMMENTS) return state;
    return { ...state, comments: [...comments, { ...comment, ...(by && { author: by }), createdAt: at }] };
  }
  // The agent has read what was sent.
  if (before.sent) return state;
  const { author, createdAt, changedAt: _, resolved, ...said } = before;
  if (sameValue(said, comment)) return state;
  const changed = { ...comment, ...(author && { author }), createdAt, changedAt: at, ...(resolved && { resolved }) };
  return { ...state, comments: comments.with(index, changed) };
}

export function removeComment(state: SessionState, { commentId }: CommentRemovedAction): SessionState {
  const comments = state.comments ?? [];
  const left = comments.filter(({ id }) => id !== commentId);
  if (left.length === comments.length) return state;
  if (left.length > 0) return { ...state, comments: left };
  const { comments: _, ...rest } = state;
  return rest;
}

export function resolveComment(state: SessionState, action: CommentResolvedAction): SessionState {
  const { commentId, resolved, by, at } = action;
  return changeComments(state, (comment) => {
    if (comment.id !== commentId || resolved === (comment.resolved !== undefined)) return comment;
    const { resolved: _, ...open } = comment;
    return resolved ? { ...open, resolved: { ...(by && { by }), at } } : open;
  });
}

/** The message of the action has been taken: the comments that it is made of are sent with it, in the same step. */
export function withCommentsSent(
  state: SessionState,
  messageId: string,
  { comments: ids, by, at }: TurnStartedAction | PendingMessageSetAction,
): SessionState {
  if (!ids) return state;
  const sent: SentComment = { messageId, ...(by && { by }), at };
  return changeComments(state, (comment) =>
    comment.sent || !ids.includes(comment.id) ? comment : { ...comment, sent },
  );
}

/** Their message was taken back before it started. */
export function withCommentsTakenBack(state: SessionState, messageId: string): SessionState {
  return changeComments(state, (comment) => {
    if (comment.sent?.messageId !== messageId) return comment;
    const { sent: _, ...open } = comment;
    return open;
  });
}

/** A pending message has become a turn with another id. */
export function withCommentsMoved(state: SessionState, from: string, to: string): SessionState {
  if (from === to) return state;
  return changeComments(state, (comment) =>
    comment.sent?.messageId === from ? { ...comment, sent: { ...comment.sent, messageId: to } } : comment,
  );
}

function changeComments(state: SessionState, change: (comment: ReviewComment) => ReviewComment): SessionState {
  const before = state.comments;
  if (!before) return state;
  const comments = before.map(change);
  return comments.every((comment, index) => comment === before[index]) ? state : { ...state, comments };
}
