import { type ListChangesResult, type ReviewComment, reviewMessage, type SessionState } from '@agenthost/protocol';
import type { ChatModel, Session } from '@agenthost/sessions';
import { useCallback, useMemo, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { permissionError } from '../app/permissionError.js';
import { useServices } from '../app/services.js';
import { useAttempt } from '../app/useAttempt.js';
import { useObservable } from '../app/useObservable.js';
import { agentName } from '../list/agentName.js';
import { type CommentThread, threadsOf } from './commentThreads.js';
import { fileName } from './folders.js';
import type { Review } from './reviewContext.js';
import type { ReviewHunk } from './reviewLines.js';
import { type DraftComment, keepDraft, type ReviewMarks, readDraft } from './reviewMarks.js';
import type { ChangeLists } from './useChanges.js';

interface ActionsOptions {
  readonly host: PageHost;
  readonly uri: string;
  readonly model: ChatModel;
  readonly state: SessionState | undefined;
  readonly session: Session;
  readonly list: ListChangesResult | undefined;
  readonly changes: ChangeLists;
  readonly marks: ReviewMarks;
  readonly mark: (change: (before: ReviewMarks) => ReviewMarks) => void;
}

export interface ReviewActions {
  readonly review: Omit<Review, 'layout' | 'isNarrow' | 'selected' | 'select' | 'goTo'>;
  readonly problem: string | undefined;
  readonly attempt: (work: Promise<unknown>) => void;
  readonly toSend: readonly ReviewComment[];
  readonly open: number;
  readonly resolved: number;
  /** Absent where nothing can be sent. */
  readonly send: (() => void) | undefined;
}

const NONE: readonly ReviewComment[] = [];
const NO_THREADS: readonly CommentThread[] = [];

/** What a reviewer may do, and does. */
export function useActions(options: ActionsOptions): ReviewActions {
  const { host, uri, model, state, session, list, changes, marks, mark } = options;
  const { undos } = useServices();
  const role = useObservable(host.role);
  const staleSince = useObservable(host.staleSince);
  const { problem, attempt } = useAttempt();
  const [draft, setDraft] = useState(() => readDraft(uri));
  const may = (operation: Parameters<typeof permissionError>[1]) => permissionError(role, operation) === undefined;
  const name = agentName(host, session.sessionType);
  const why = staleSince === undefined ? undefined : `${host.name} isn't answering. Reading works, changing doesn't.`;
  const comments = state?.comments ?? NONE;
  const threads = useMemo(() => {
    const byPath = new Map<string, CommentThread[]>();
    for (const thread of threadsOf(comments)) byPath.set(thread.path, [...(byPath.get(thread.path) ?? []), thread]);
    return byPath;
  }, [comments]);
  const toSend = comments.filter(({ sent, resolved }) => !sent && !resolved);
  const { review } = model;
  const mayComment = review !== undefined && may('session/commentSet');
  const write = useCallback(
    (next: DraftComment | undefined) => {
      setDraft(next);
      keepDraft(uri, next);
    },
    [uri],
  );
  const addComment = () => {
    if (!draft || !review || draft.text.trim() === '' || why !== undefined) return;
    const { endLine, id = crypto.randomUUID(), text, ...rest } = draft;
    const comment = { ...rest, id, text: text.trim(), ...(endLine > rest.line && { endLine }) };
    write(undefined);
    document.querySelector<HTMLElement>('.rv-hunk.current, .rv-b')?.focus();
    attempt(
      review.setComment(comment).catch((error: unknown) => {
        // What was written is not lost.
        write(draft);
        throw error;
      }),
    );
  };
  const revert = (path: string, hunk?: ReviewHunk) => {
    if (!list) return;
    const { from, to } = list;
    const { work } = host.provider.status;
    const hunks = hunk && {
      hunks: [{ oldStart: hunk.oldStart, oldLines: hunk.oldLines, newStart: hunk.newStart, newLines: hunk.newLines }],
    };
    const done = work.revertChanges(uri, { path, from, to, ...hunks });
    attempt(
      done.then(({ undo }) => {
        undos.offer({
          text: hunk ? `Reverted a change in ${fileName(path)}.` : `Reverted ${fileName(path)}.`,
          undo: async () => {
            await work.restoreFiles(uri, { undo });
            changes.reload();
          },
        });
        changes.reload();
      }),
    );
  };
  const canSend = review !== undefined && may('session/turnStarted') && why === undefined && toSend.length > 0;
  return {
    problem,
    attempt,
    toSend,
    open: comments.filter(({ sent, resolved }) => sent && !resolved).length,
    resolved: comments.filter(({ resolved }) => resolved).length,
    send: canSend
      ? () =>
          attempt(
            review.sendComments(
              reviewMessage(toSend),
              toSend.map(({ id }) => id),
            ),
          )
      : undefined,
    review: {
      why,
      mayComment,
      mayRevert: may('revertChanges') && !changes.isReported,
      agentName: name,
      draft,
      threadsOf: (path) => threads.get(path) ?? NO_THREADS,
      isAccepted: ({ key }) => marks.accepted.includes(key),
      busyWith: (path) => (isEditing(state, path) ? `${name} is editing this file` : undefined),
      accept: ({ key }, isAccepted) =>
        mark(({ accepted, ...rest }) => {
          const others = accepted.filter((one) => one !== key);
          return { ...rest, accepted: isAccepted ? [...others, key] : others };
        }),
      revert,
      write,
      addComment,
      resolve: (ids, isResolved) => {
        if (review) attempt(Promise.all(ids.map((id) => review.resolveComment(id, isResolved))));
      },
      remove: (id) => {
        if (review) attempt(review.removeComment(id));
      },
    },
  };
}

/** A running call names the file: in what it does, or in its input. */
function isEditing(state: SessionState | undefined, path: string): boolean {
  const name = fileName(path);
  return Object.values(state?.activeTurn?.toolCalls ?? {}).some(
    (call) =>
      call.status === 'running' && (call.invocationMessage.includes(name) || (call.toolInput ?? '').includes(name)),
  );
}
