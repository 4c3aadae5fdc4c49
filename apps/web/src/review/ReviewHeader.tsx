import type { SessionState } from '@agenthost/protocol';
import type { Session } from '@agenthost/sessions';
import { ArrowLeft, ChevronLeft, GitBranch } from 'lucide-react';
import { ownIds } from '../app/ownIds.js';
import type { PageHost } from '../app/pagePlace.js';
import { useNarrow } from '../app/useNarrow.js';
import { useObservable } from '../app/useObservable.js';
import { authorName, initials } from '../conversation/authorName.js';
import { HostState } from '../conversation/header/HostState.js';
import { WorktreeTag } from '../conversation/header/Location.js';
import { AgentIcon } from '../glyphs/agentIcon.js';
import { agentName } from '../list/agentName.js';

interface ReviewHeaderProps {
  readonly session: Session;
  readonly host: PageHost;
  readonly state: SessionState | undefined;
  readonly branch: string | undefined;
  readonly onClose: () => void;
}

export function ReviewHeader({ session, host, state, branch, onClose }: ReviewHeaderProps) {
  const isNarrow = useNarrow();
  const title = useObservable(session.title) || 'New session';
  const workspace = useObservable(session.workspace);
  const me = useObservable(ownIds);
  const repository = workspace?.repositories[0];
  const others = (state?.clients ?? []).filter(({ clientId }) => !me.has(clientId));
  const shownBranch = branch ?? repository?.detail;
  return (
    <header className="head">
      <button
        type="button"
        className="ib rv-back"
        aria-label="Back to the conversation"
        title="Back (Esc)"
        onClick={onClose}
      >
        {isNarrow ? <ChevronLeft size={20} aria-hidden /> : <ArrowLeft size={17} aria-hidden />}
      </button>
      <div className="grow">
        <h1 className="clip">{isNarrow ? 'Review changes' : title}</h1>
        <div className="sub">
          {shownBranch !== undefined && (
            <span>
              <GitBranch size={13} aria-hidden />
              <span className="clip">{shownBranch}</span>
            </span>
          )}
          <WorktreeTag workspace={workspace} />
          <span className="wide">
            <AgentIcon icon={session.icon} />
            <span className="clip">{agentName(host, session.sessionType)}</span>
          </span>
        </div>
      </div>
      <div className="right">
        {others.slice(0, 3).map((other) => {
          const { name, device } = authorName(other, me);
          return (
            <span key={other.clientId} className="stat wide" title={`${name}${device} looks at this session`}>
              <span className="ava" aria-hidden="true">
                {initials(name)}
              </span>
              <span className={others.length === 1 ? 'who-name' : 'sr'}>{`${name}${device}`}</span>
            </span>
          );
        })}
        <HostState host={host} />
      </div>
    </header>
  );
}
