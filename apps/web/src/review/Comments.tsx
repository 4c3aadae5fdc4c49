import type { ReviewComment, SessionState } from '@agenthost/protocol';
import { Check, ChevronRight, Ellipsis } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { ownIds } from '../app/ownIds.js';
import { useObservable } from '../app/useObservable.js';
import { authorName, initials } from '../conversation/authorName.js';
import { InlineText } from '../conversation/InlineText.js';
import { clock } from '../conversation/times.js';
import { AgentIcon } from '../glyphs/agentIcon.js';
import { Menu } from '../overlays/Menu.js';
import { answerTo, type CommentThread } from './commentThreads.js';

import { useReview } from './reviewContext.js';
import type { DraftComment } from './reviewMarks.js';

const LONGEST_ANSWER = 600;

interface ThreadProps {
  readonly thread: CommentThread;
  readonly state: SessionState | undefined;
  readonly icon: string | undefined;
  /** Its lines are not there any more, or are other ones. */
  readonly isOutdated: boolean;
}

/** What people said about some lines, and what the agent answered. A resolved one is one line. */
export function Thread({ thread, state, icon, isOutdated }: ThreadProps) {
  const { comments, isResolved, line, endLine, path, side } = thread;
  const { agentName, mayComment, resolve, write, why, draft } = useReview();
  const [isOpen, setOpen] = useState(false);
  const me = useObservable(ownIds);
  const label = `Comment on ${linesText(line, endLine)}`;
  const last = comments.at(-1);
  if (isResolved && !isOpen && last)
    return (
      <section className="cmt folded" aria-label={label}>
        <button type="button" className="cm-fold" aria-expanded={false} onClick={() => setOpen(true)}>
          <ChevronRight size={13} aria-hidden />
          <Check size={13} aria-hidden />
          <b>Resolved</b>
          <span className="clip">{last.text}</span>
        </button>
      </section>
    );
  const answers = new Set<string>();
  const [first] = comments;
  return (
    <section className="cmt" aria-label={label}>
      {isOutdated && first && (
        <div className="cm-old">
          <b>The line has changed</b>
          <pre>{first.quote}</pre>
        </div>
      )}
      {comments.map((comment) => {
        const answer = answerTo(comment, state);
        const isNew = answer && comment.sent && !answers.has(comment.sent.messageId);
        if (isNew) answers.add(comment.sent.messageId);
        const isLastOfMessage =
          comments.findLast(({ sent }) => sent?.messageId === comment.sent?.messageId) === comment;
        return (
          <div key={comment.id}>
            <One comment={comment} me={me} />
            {answer && isLastOfMessage && (
              <div className="cm-i">
                <span className="ava ag">
                  <AgentIcon icon={icon} />
                </span>
                <div className="grow">
                  <div className="cm-w">
                    <b>{agentName}</b>
                    <span>
                      {clock(answer.at)}, turn {answer.turn}
                    </span>
                  </div>
                  <p>
                    <InlineText text={shortened(answer.text)} />
                  </p>
                </div>
              </div>
            )}
          </div>
        );
      })}
      <div className="cm-f">
        {mayComment && !draft && (
          <button
            type="button"
            className="cm-r"
            onClick={() => write({ path, side, line, endLine, quote: first?.quote ?? '', text: '' })}
          >
            Reply
          </button>
        )}
        <span className="grow" />
        {mayComment && (
          <button
            type="button"
            className="btn plain sm"
            disabled={why !== undefined}
            title={why}
            onClick={() => {
              resolve(
                comments.map(({ id }) => id),
                !isResolved,
              );
              setOpen(false);
            }}
          >
            <Check size={13} aria-hidden />
            {isResolved ? 'Open again' : 'Resolve'}
          </button>
        )}
      </div>
    </section>
  );
}

function One({ comment, me }: { readonly comment: ReviewComment; readonly me: ReadonlySet<string> }) {
  const { mayComment, remove, write, why } = useReview();
  const { author, createdAt, sent, text, id, path, side, line, endLine = line, quote } = comment;
  const { name, device } = authorName(author, me);
  const isOwn = author !== undefined && me.has(author.clientId);
  const items = [
    ...(isOwn && !sent
      ? [{ label: 'Edit', disabledReason: why, choose: () => write({ path, side, line, endLine, quote, text, id }) }]
      : []),
    { label: 'Copy text', choose: () => void navigator.clipboard.writeText(text).catch(() => {}) },
    ...(isOwn ? [{ label: 'Delete', danger: true, disabledReason: why, choose: () => remove(id) }] : []),
  ];
  return (
    <div className="cm-i">
      <span className="ava" aria-hidden="true">
        {initials(isOwn ? (author?.name ?? 'You') : name)}
      </span>
      <div className="grow">
        <div className="cm-w">
          <b>{isOwn ? 'You' : name}</b>
          <span>
            {device.replace(/^, /, '')}
            {device && ', '}
            {clock(createdAt)}
            {!sent && ', not sent'}
          </span>
          <span className="grow" />
          {mayComment && (
            <Menu label="Comment actions" className="ib sm" items={items}>
              <Ellipsis size={14} aria-hidden />
            </Menu>
          )}
        </div>
        <p>
          <InlineText text={text} />
        </p>
      </div>
    </div>
  );
}

/** A comment that is being written. It is kept on this device until it is added. */
export function DraftBox({ draft }: { readonly draft: DraftComment }) {
  const { write, addComment, why } = useReview();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus({ preventScroll: false }), []);
  const discard = () => {
    write(undefined);
    document.querySelector<HTMLElement>('.rv-hunk.current')?.focus();
  };
  return (
    <section className="cmt draft" aria-label={`New comment on ${linesText(draft.line, draft.endLine)}`}>
      <div className="cm-ln">
        <b>{capital(linesText(draft.line, draft.endLine))}</b>
        <span>draft, kept on this device</span>
      </div>
      <textarea
        ref={field}
        className="cm-t"
        aria-label="Comment"
        rows={2}
        maxLength={4_000}
        value={draft.text}
        onChange={(event) => write({ ...draft, text: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            event.stopPropagation();
            addComment();
          } else if (event.key === 'Escape') {
            event.preventDefault();
            event.stopPropagation();
            if (draft.text.trim() === '') discard();
            else document.querySelector<HTMLElement>('.rv-hunk.current')?.focus();
          }
        }}
      />
      <div className="cm-f">
        <span className="why">{why ?? 'Sent with the others, as one message'}</span>
        <span className="grow" />
        <button type="button" className="btn quiet sm" onClick={discard}>
          Discard
        </button>
        <button
          type="button"
          className="btn primary sm"
          disabled={draft.text.trim() === '' || why !== undefined}
          onClick={addComment}
        >
          {draft.id === undefined ? 'Add comment' : 'Save'} <kbd aria-hidden="true">Ctrl ↵</kbd>
        </button>
      </div>
    </section>
  );
}

function linesText(line: number, endLine: number): string {
  return endLine > line ? `lines ${line} to ${endLine}` : `line ${line}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function shortened(text: string): string {
  return text.length <= LONGEST_ANSWER ? text : `${text.slice(0, LONGEST_ANSWER)}…`;
}
