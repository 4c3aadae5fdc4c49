import type { Author, ClientAction, ReviewComment, Role, SessionState } from '@agenthost/protocol';
import { MAX_COMMENTS, roleIncludes } from '@agenthost/protocol';
import {
  type CommentSetAction,
  findComment,
  MAX_COMMENTS_LENGTH,
  type Refusal,
  refuse,
} from '@agenthost/protocol/internal';

/** Who sent an action. */
export interface ActionSender {
  readonly author: Author;
  readonly role?: Role;
}

/** Why the host rejects what an action does with review comments (REVIEW1, REVIEW2). */
export function commentRefusal(state: SessionState, action: ClientAction, sender: ActionSender): Refusal | undefined {
  switch (action.type) {
    case 'session/commentSet':
      return setRefusal(state, action, sender);
    case 'session/commentRemoved': {
      const comment = findComment(state, action.commentId);
      if (!comment) return refuse('unknownComment');
      const may = isBy(comment, sender) || roleIncludes(sender.role ?? 'viewer', 'driver');
      return may ? undefined : refuse('notYourComment');
    }
    case 'session/commentResolved':
      return findComment(state, action.commentId) ? undefined : refuse('unknownComment');
    case 'session/turnStarted':
    case 'session/pendingMessageSet':
      return sendRefusal(state, action.comments ?? [], 'turnId' in action ? action.turnId : action.id);
    default:
      return undefined;
  }
}

/** A message says what its comments say now: of one that was changed meanwhile the agent would get the old words. */
export function wordsRefusal(state: SessionState, action: ClientAction): Refusal | undefined {
  if (action.type !== 'session/turnStarted' && action.type !== 'session/pendingMessageSet') return undefined;
  const { text } = action.userMessage;
  const isOld = action.comments?.some((id) => !text.includes(findComment(state, id)?.text ?? ''));
  return isOld ? refuse('commentChanged') : undefined;
}

function setRefusal(state: SessionState, { comment }: CommentSetAction, sender: ActionSender): Refusal | undefined {
  if (comment.endLine !== undefined && comment.endLine < comment.line) {
    return refuse('invalidAction', { detail: 'comment.endLine is before comment.line' });
  }
  const { comments = [] } = state;
  const before = findComment(state, comment.id);
  if (before && !isBy(before, sender)) return refuse('notYourComment');
  if (before?.sent) return refuse('commentSent');
  const others = before ? comments.filter(({ id }) => id !== comment.id) : comments;
  const isFull = others.length >= MAX_COMMENTS || lengthOf(others) + lengthOf([comment]) > MAX_COMMENTS_LENGTH;
  return isFull ? refuse('commentsFull') : undefined;
}

/** Of two people who send the same comments, the second learns that it was done. */
function sendRefusal(state: SessionState, ids: readonly string[], messageId: string): Refusal | undefined {
  for (const id of ids) {
    const comment = findComment(state, id);
    if (!comment) return refuse('unknownComment');
    const { sent } = comment;
    if (sent && sent.messageId !== messageId) {
      return refuse('commentSent', sent.by && { by: sent.by, detail: `by ${sent.by.name ?? sent.by.clientId}` });
    }
  }
  return undefined;
}

function isBy({ author }: ReviewComment, sender: ActionSender): boolean {
  return author?.clientId === sender.author.clientId && author.device === sender.author.device;
}

function lengthOf(comments: readonly object[]): number {
  return comments.reduce((sum, comment) => sum + JSON.stringify(comment).length, 0);
}
