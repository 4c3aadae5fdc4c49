import { createContext, useContext } from 'react';
import type { CommentThread } from './commentThreads.js';
import type { ReviewHunk, Side } from './reviewLines.js';
import type { DraftComment } from './reviewMarks.js';

/** Where the keys act. */
export interface ReviewPlace {
  readonly path: string;
  /** Beyond the last one: the last one. */
  readonly hunk: number;
  /** A line of the hunk; the first changed one if absent. */
  readonly line?: number;
}

export interface LineRange {
  readonly path: string;
  readonly side: Side;
  readonly line: number;
  readonly endLine: number;
}

/** What every part of the review shares. */
export interface Review {
  readonly layout: 'sides' | 'unified';
  readonly isNarrow: boolean;
  /** Why nothing can be changed: offline, a link. Absent while it can. */
  readonly why: string | undefined;
  readonly mayComment: boolean;
  readonly mayRevert: boolean;
  readonly agentName: string;
  readonly draft: DraftComment | undefined;
  readonly selected: LineRange | undefined;
  readonly threadsOf: (path: string) => readonly CommentThread[];
  readonly isAccepted: (hunk: ReviewHunk) => boolean;
  /** Why hunks of the file can't be reverted now. */
  readonly busyWith: (path: string) => string | undefined;
  readonly goTo: (place: ReviewPlace) => void;
  readonly accept: (hunk: ReviewHunk, isAccepted: boolean) => void;
  readonly revert: (path: string, hunk?: ReviewHunk) => void;
  readonly select: (range: LineRange | undefined) => void;
  readonly write: (draft: DraftComment | undefined) => void;
  readonly addComment: () => void;
  readonly resolve: (ids: readonly string[], isResolved: boolean) => void;
  readonly remove: (id: string) => void;
}

const Context = createContext<Review | undefined>(undefined);
export const ReviewProvider = Context.Provider;

export function useReview(): Review {
  const review = useContext(Context);
  if (!review) throw new Error('this component is used outside of the review');
  return review;
}
