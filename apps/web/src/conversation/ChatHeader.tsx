import type { SessionState } from '@agenthost/protocol';
import type { ChatModel, Session } from '@agenthost/sessions';
import {
  Archive,
  ArrowLeft,
  Ellipsis,
  FileDiff,
  Folder,
  GitBranch,
  GitFork,
  Mail,
  MessageSquarePlus,
  Pencil,
  Puzzle,
  Trash2,
} from 'lucide-react';
import { useState } from 'react';
import type { PageHost } from '../app/pageHosts.js';
import { goTo } from '../app/route.js';
import { useServices } from '../app/services.js';
import { useNow } from '../app/useNow.js';
import { useObservable } from '../app/useObservable.js';
import { AgentIcon } from '../glyphs/agentIcon.js';
import { agentName } from '../list/agentName.js';
import { connectionWords } from '../list/HostRows.js';
import { ChangesDialog } from '../overlays/ChangesDialog.js';
import { CustomizationsDialog } from '../overlays/CustomizationsDialog.js';
import { Menu, type MenuItem } from '../overlays/Menu.js';
import { NewChatDialog } from '../overlays/NewChatDialog.js';
import { authorName, initials } from './authorName.js';
import { Delta } from './DiffCard.js';
import { lastName, pathOf } from './relativePath.js';

interface ChatHeaderProps {
  readonly session: Session;
  readonly host: PageHost;
  readonly state: SessionState | undefined;
  readonly model: ChatModel;
  readonly onRename: () => void;
  readonly onDelete: () => void;
  readonly onFork: () => void;
  readonly onProblem: (work: Promise<unknown>) => void;
}

export function ChatHeader({ session, host, state, model, onRename, onDelete, onFork, onProblem }: ChatHeaderProps) {
  const { management } = useServices();
  const title = useObservable(session.title);
  const isArchived = useObservable(session.isArchived);
  const workspace = useObservable(session.workspace);
  const chats = useObservable(session.chats);
  const connection = useObservable(host.connection);
  const now = useNow(connection.state === 'reconnecting', 500);
  const [dialog, setDialog] = useState<'changes' | 'customizations' | 'newChat'>();
  const changes = state?.summary.changes ?? [];
  const folder = state?.summary.workingDirectory;
  const branch = workspace?.repositories[0]?.detail;
  const others = (state?.clients ?? []).filter(({ clientId }) => clientId !== host.clientId);
  const usage = usageOf(state, host, session);
  const items: (MenuItem | 'line')[] = [
    { label: 'Rename', icon: <Pencil size={14} aria-hidden />, hint: 'R', choose: onRename },
    {
      label: isArchived ? 'Bring back' : 'Archive',
      icon: <Archive size={14} aria-hidden />,
      choose: () => onProblem(isArchived ? management.unarchiveSession(session) : management.archiveSession(session)),
    },
    {
      label: 'Mark unread',
      icon: <Mail size={14} aria-hidden />,
      choose: () => onProblem(management.setRead(session, false).then(() => goTo({ view: 'start' }))),
    },
    { label: 'Fork', icon: <GitFork size={14} aria-hidden />, hint: 'F', choose: onFork },
    {
      label: 'New chat in this session',
      icon: <MessageSquarePlus size={14} aria-hidden />,
      disabled: !session.capabilities.supportsMultipleChats,
      choose: () => setDialog('newChat'),
    },
    { label: 'Customizations', icon: <Puzzle size={14} aria-hidden />, choose: () => setDialog('customizations') },
    'line',
    { label: 'Delete', icon: <Trash2 size={14} aria-hidden />, danger: true, choose: onDelete },
  ];
  return (
    <header className="head">
      <button
        type="button"
        className="ib phone-only"
        aria-label="Back to sessions"
        onClick={() => goTo({ view: 'start' })}
      >
        <ArrowLeft size={18} aria-hidden />
      </button>
      <div className="grow">
        <h1 className="clip">
          <button type="button" className="title-button clip" title="Rename (R)" onClick={onRename}>
            {title || 'New session'}
          </button>
        </h1>
        <div className="sub">
          {folder && (
            <span className="wide" title={pathOf(folder)}>
              <Folder size={13} aria-hidden />
              {lastName(folder)}
            </span>
          )}
          {branch && (
            <span>
              <GitBranch size={13} aria-hidden />
              {branch}
            </span>
          )}
          <span className="wide">
            <AgentIcon icon={session.icon} />
            {agentName(host, session.sessionType)}
          </span>
        </div>
      </div>
      <div className="right">
        {others.slice(0, 3).map((other) => {
          const { name, device } = authorName(other, host.clientId);
          return (
            <span key={other.clientId} className="stat wide" title={`${name}${device} looks at this session`}>
              <span className="ava" aria-hidden="true">
                {initials(name)}
              </span>
              {others.length === 1 && `${name}${device}`}
              {others.length > 1 && <span className="sr">{name}</span>}
            </span>
          );
        })}
        {usage && <span className="stat wide num">{usage}</span>}
        {changes.length > 0 && (
          <button
            type="button"
            className="stat wide"
            title="Changed files (D)"
            aria-label="Changed files"
            onClick={() => setDialog('changes')}
            data-changes
          >
            <FileDiff size={15} aria-hidden />
            <Delta insertions={sum(changes, 'insertions')} deletions={sum(changes, 'deletions')} />
          </button>
        )}
        <span className="stat wide">
          <i className={connection.state === 'connected' ? 'dot' : 'dot wait'} />
          {host.name}, {connectionWords(connection, now, false)}
        </span>
        <Menu label="Session actions" className="ib" items={items}>
          <Ellipsis size={18} aria-hidden />
        </Menu>
      </div>
      {chats.length > 1 && (
        <nav className="chats seg" aria-label="Chats of this session">
          {chats.map((chat) => (
            <ChatTab
              key={chat.resource}
              chat={chat}
              current={chat.resource === model.resource}
              onOpen={() => goTo({ view: 'session', sessionId: session.sessionId, chat: chat.resource })}
            />
          ))}
        </nav>
      )}
      {dialog === 'changes' && (
        <ChangesDialog changes={changes} folder={folder} state={state} onClose={() => setDialog(undefined)} />
      )}
      {dialog === 'customizations' && (
        <CustomizationsDialog state={state} model={model} onClose={() => setDialog(undefined)} />
      )}
      {dialog === 'newChat' && <NewChatDialog session={session} onClose={() => setDialog(undefined)} />}
    </header>
  );
}

function ChatTab({
  chat,
  current,
  onOpen,
}: {
  readonly chat: Session['mainChat'];
  readonly current: boolean;
  readonly onOpen: () => void;
}) {
  const title = useObservable(chat.title);
  return (
    <button type="button" aria-pressed={current} onClick={onOpen}>
      <span className="clip">{title || 'Chat'}</span>
    </button>
  );
}

/** "82k of 200k": what the last answer's context had. */
function usageOf(state: SessionState | undefined, host: PageHost, session: Session): string | undefined {
  const usage = state?.activeTurn?.usage ?? state?.turns.findLast((turn) => turn.usage)?.usage;
  if (!usage?.inputTokens) return undefined;
  const agent = host.provider.status.agents.value.find(({ provider }) => provider === session.sessionType);
  const window = agent?.models.find(({ id }) => id === (usage.model ?? state?.summary.model))?.maxContextWindow;
  const used = thousands(usage.inputTokens + (usage.outputTokens ?? 0));
  return window ? `${used} of ${thousands(window)}` : `${used} tokens`;
}

function thousands(count: number): string {
  return count < 1000 ? String(count) : `${Math.round(count / 1000)}k`;
}

function sum<K extends string>(items: readonly Record<K, number>[], key: K): number {
  return items.reduce((total, item) => total + item[key], 0);
}
