import type { ReviewComment, SessionState } from '@agenthost/protocol';
import type { ReviewHunk, Side } from './reviewLines.js';

export interface CommentThread {
  readonly path: string;
  readonly side: Side;
  readonly line: number;
  /** The last line, under which it stands. */
  readonly endLine: number;
  readonly comments: readonly ReviewComment[];
  readonly isResolved: boolean;
}

/** Comments on the same lines are one thread, in the order in which they were written. */
export function threadsOf(comments: readonly ReviewComment[]): readonly CommentThread[] {
  const threads = new Map<string, ReviewComment[]>();
  for (const comment of comments) {
    const key = `${comment.side} ${comment.line} ${comment.endLine ?? comment.line} ${comment.path}`;
    const thread = threads.get(key);
    if (thread) thread.push(comment);
    else threads.set(key, [comment]);
  }
  return [...threads.values()].flatMap((thread) => {
    const [first] = thread;
    if (!first) return [];
    const { path, side, line, endLine = line } = first;
    return [{ path, side, line, endLine, comments: thread, isResolved: thread.every(({ resolved }) => resolved) }];
  });
}

/** Whether the lines that a thread is about are as they were when it was written; undefined while they are not in sight. */
export function isStillThere(thread: CommentThread, hunks: readonly ReviewHunk[]): boolean | undefined {
  const [first] = thread.comments;
  if (!first || first.quote === '') return true;
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const line = lines.find(
    ({ oldNumber, newNumber }) => (thread.side === 'old' ? oldNumber : newNumber) === thread.line,
  );
  if (!line) return false;
  return first.quote.split('\n')[0]?.trimEnd() === line.text.trimEnd();
}

/** What the agent said in the turn that a comment was sent with, and the turn's place. */
export function answerTo(
  { sent }: ReviewComment,
  state: SessionState | undefined,
): { readonly text: string; readonly at: number; readonly turn: number } | undefined {
  if (!sent || !state) return undefined;
  const index = state.turns.findIndex(({ id }) => id === sent.messageId);
  const turn = state.turns[index];
  if (!turn) return undefined;
  const text = turn.responseParts
    .flatMap((part) => (part.kind === 'markdown' ? [part.content] : []))
    .join('\n\n')
    .trim();
  if (text === '') return undefined;
  return { text, at: turn.endedAt, turn: (state.earlierTurns ?? 0) + index + 1 };
}
