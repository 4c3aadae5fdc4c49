import { type Session, SessionStatus } from '@agenthost/sessions';
import { Ellipsis, Unplug } from 'lucide-react';
import { Fragment, type MouseEvent, memo } from 'react';
import { useServices } from '../app/services.js';
import { useObservable } from '../app/useObservable.js';
import { shortAge } from '../conversation/times.js';
import { Delta } from '../conversation/turn/DiffCard.js';
import { AgentIcon } from '../glyphs/agentIcon.js';
import { type RowStatus, StatusGlyph } from '../glyphs/StatusGlyph.js';

interface SessionRowProps {
  readonly session: Session;
  readonly agentName: string;
  readonly current: boolean;
  readonly focused: boolean;
  readonly selected: boolean;
  /** Changes once a minute, so that ages stay right. */
  readonly now: number;
  readonly onOpen: (session: Session, event: MouseEvent) => void;
  /** Opens the menu of the row that the event is in. */
  readonly onMenu: (event: MouseEvent) => void;
  readonly snippet?: string | undefined;
}

/** Two lines, so that the title keeps its width. Each row follows its own session: a change renders one row. */
export const SessionRow = memo(function SessionRow({
  session,
  agentName,
  current,
  focused,
  selected,
  now,
  onOpen,
  onMenu,
  snippet,
}: SessionRowProps) {
  const isLeaving = useObservable(useServices().undos.leaving).has(session.sessionId);
  const title = useObservable(session.title);
  const status = useObservable(session.status);
  const isRead = useObservable(session.isRead);
  const isArchived = useObservable(session.isArchived);
  const loading = useObservable(session.loading);
  const updatedAt = useObservable(session.updatedAt);
  const description = useObservable(session.description);
  const changes = useObservable(session.changes);
  const location = useObservable(session.workspace)?.location;
  const away = location?.isAway ? `Its machine ${location.place} is away` : undefined;
  const insertions = changes.reduce((sum, change) => sum + change.insertions, 0);
  const deletions = changes.reduce((sum, change) => sum + change.deletions, 0);
  const shown = rowStatus(status, isRead, isArchived);
  const tone = shown === 'needsInput' ? ' needs' : shown === 'error' ? ' error' : '';
  const classes = [
    'row',
    ...(isRead ? [] : ['unread']),
    ...(focused ? ['focused'] : []),
    ...(selected ? ['selected'] : []),
    ...(isLeaving ? ['leaving'] : []),
  ];
  return (
    <div className="row-frame">
      <button
        type="button"
        className={classes.join(' ')}
        aria-current={current}
        tabIndex={focused ? 0 : -1}
        data-session={session.sessionId}
        onClick={(event) => onOpen(session, event)}
      >
        <StatusGlyph status={shown} className="st" />
        <span className="l1">
          <span className="title clip grow">{title || 'New session'}</span>
          <span className="when">{shortAge(updatedAt.getTime(), now)}</span>
        </span>
        <span className="l2">
          <span className={`act grow${tone}`}>
            {away ? <Unplug size={13} aria-hidden /> : <AgentIcon icon={session.icon} />}
            <span className="sr">{agentName}.</span>
            <span className="clip">
              {isLeaving ? (
                'Deleted'
              ) : snippet ? (
                <Snippet text={snippet} />
              ) : (
                (away ?? description ?? fallback(shown, agentName, loading))
              )}
            </span>
          </span>
          <Delta insertions={insertions} deletions={deletions} />
        </span>
      </button>
      <button
        type="button"
        className="ib sm row-more"
        tabIndex={-1}
        aria-label={`Actions for ${title || 'New session'}`}
        title="Actions"
        aria-haspopup="menu"
        onClick={onMenu}
      >
        <Ellipsis size={15} aria-hidden />
      </button>
    </div>
  );
});

export function rowStatus(status: SessionStatus, isRead: boolean, isArchived: boolean): RowStatus {
  if (status === SessionStatus.NeedsInput) return 'needsInput';
  if (status === SessionStatus.InProgress) return 'running';
  if (isArchived) return 'archived';
  if (status === SessionStatus.Error) return 'error';
  if (status === SessionStatus.Untitled) return 'untitled';
  return isRead ? 'done' : 'doneUnread';
}

function fallback(status: RowStatus, agentName: string, loading: boolean): string {
  if (loading && status === 'untitled') return 'Starting';
  if (status === 'needsInput') return 'Needs your answer';
  if (status === 'running') return 'Working';
  if (status === 'error') return 'The last turn failed';
  if (status === 'untitled') return 'Not started';
  return agentName;
}

/** Renders the search's own marks, ⟨ and ⟩. */
function Snippet({ text }: { readonly text: string }) {
  return text
    .split(/(⟨[^⟩]*⟩)/)
    .map((piece, index) =>
      piece.startsWith('⟨') ? <mark key={index}>{piece.slice(1, -1)}</mark> : <Fragment key={index}>{piece}</Fragment>,
    );
}
