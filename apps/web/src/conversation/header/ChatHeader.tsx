import type { AgentInfo, SessionState } from '@agenthost/protocol';
import { type ChatModel, constant, type Session } from '@agenthost/sessions';
import {
  Archive,
  Ellipsis,
  FileDiff,
  Files,
  Folder,
  GitBranch,
  GitFork,
  Mail,
  MessageSquarePlus,
  MessageSquareX,
  Pencil,
  Puzzle,
  ShieldQuestionMark,
  Trash2,
} from 'lucide-react';
import { useState } from 'react';
import { ownIds } from '../../app/ownIds.js';
import { asHost, type PagePlace } from '../../app/pagePlace.js';
import { permissionError } from '../../app/permissionError.js';
import { goTo } from '../../app/route.js';
import { useServices } from '../../app/services.js';
import { useObservable } from '../../app/useObservable.js';
import { BackButton } from '../../controls/BackButton.js';
import { AgentIcon } from '../../glyphs/agentIcon.js';
import { agentName } from '../../list/agentName.js';
import { ChangesDialog } from '../../overlays/ChangesDialog.js';
import { CustomizationsDialog } from '../../overlays/CustomizationsDialog.js';
import { DeleteChatDialog } from '../../overlays/DeleteChatDialog.js';
import { FilesDialog } from '../../overlays/FilesDialog.js';
import { Menu, type MenuItem } from '../../overlays/Menu.js';
import { NewChatDialog } from '../../overlays/NewChatDialog.js';
import { authorName, initials } from '../authorName.js';
import { pathOf, shortPath } from '../relativePath.js';
import { Delta } from '../turn/DiffCard.js';
import { ContextRing, modelOf } from './ContextRing.js';
import { HostState } from './HostState.js';

/** For a place that is no host. */
const NO_AGENTS = constant<readonly AgentInfo[]>([]);

interface ChatHeaderProps {
  readonly session: Session;
  readonly place: PagePlace;
  readonly state: SessionState | undefined;
  readonly model: ChatModel;
  readonly onRename: () => void;
  readonly onDelete: () => void;
  /** Missing if the provider doesn't support it. */
  readonly onFork: (() => void) | undefined;
  readonly onProblem: (work: Promise<unknown>) => void;
}

export function ChatHeader({ session, place, state, model, onRename, onDelete, onFork, onProblem }: ChatHeaderProps) {
  const { management } = useServices();
  const me = useObservable(ownIds);
  const { contextKeys } = management;
  const host = asHost(place);
  const role = useObservable(place.role);
  const title = useObservable(session.title);
  const isArchived = useObservable(contextKeys.isActiveSessionArchived);
  const supportsMultiChat = useObservable(contextKeys.activeSessionSupportsMultiChat);
  const hasRepository = useObservable(contextKeys.activeSessionHasGitRepository);
  const goesOn = useObservable(contextKeys.isActiveSessionBackgroundProvider);
  const isActive = useObservable(contextKeys.activeSessionProviderId) === session.providerId;
  const mode = useObservable(session.mode);
  const workspace = useObservable(session.workspace);
  const chats = useObservable(session.chats);
  const [dialog, setDialog] = useState<'changes' | 'customizations' | 'files' | 'newChat' | 'deleteChat'>();
  const changes = state?.summary.changes ?? [];
  const folder = state?.summary.workingDirectory;
  const branch = hasRepository ? workspace?.repositories[0]?.detail : undefined;
  const others = (state?.clients ?? []).filter(({ clientId }) => !me.has(clientId));
  const agents = useObservable(host?.provider.status.agents ?? NO_AGENTS);
  const models = agents.find(({ provider }) => provider === session.sessionType)?.models ?? [];
  const modelName = modelOf(models, state?.summary.model)?.name;
  const items: (MenuItem | 'line')[] = [
    {
      label: 'Rename',
      icon: <Pencil size={14} aria-hidden />,
      hint: 'R',
      disabledReason: permissionError(role, 'session/titleChanged'),
      choose: onRename,
    },
    {
      label: isArchived ? 'Unarchive' : 'Archive',
      icon: <Archive size={14} aria-hidden />,
      disabledReason: permissionError(role, 'session/isArchivedChanged'),
      choose: () => onProblem(isArchived ? management.unarchiveSession(session) : management.archiveSession(session)),
    },
    {
      label: 'Mark unread',
      icon: <Mail size={14} aria-hidden />,
      disabledReason: permissionError(role, 'session/isReadChanged'),
      choose: () => onProblem(management.setRead(session, false).then(() => goTo({ view: 'start' }))),
    },
    ...(onFork
      ? [
          {
            label: 'Fork',
            icon: <GitFork size={14} aria-hidden />,
            hint: 'F',
            disabledReason: permissionError(role, 'forkSession'),
            choose: onFork,
          },
        ]
      : []),
    {
      label: 'New chat in this session',
      icon: <MessageSquarePlus size={14} aria-hidden />,
      disabledReason:
        permissionError(role, 'createSession') ??
        (supportsMultiChat ? undefined : 'This session can have only one chat.'),
      choose: () => setDialog('newChat'),
    },
    ...(model.supports.has('artifacts')
      ? [{ label: 'Files', icon: <Files size={14} aria-hidden />, choose: () => setDialog('files') }]
      : []),
    ...(model.supports.has('customizations')
      ? [
          {
            label: 'Customizations',
            icon: <Puzzle size={14} aria-hidden />,
            choose: () => setDialog('customizations'),
          },
        ]
      : []),
    'line',
    ...(chats.length > 1
      ? [
          {
            label: 'Delete this chat',
            icon: <MessageSquareX size={14} aria-hidden />,
            danger: true,
            disabledReason: permissionError(role, 'disposeSession'),
            choose: () => setDialog('deleteChat'),
          },
        ]
      : []),
    {
      label: chats.length > 1 ? 'Delete the session' : 'Delete',
      icon: <Trash2 size={14} aria-hidden />,
      danger: true,
      disabledReason: permissionError(role, 'disposeSession'),
      choose: onDelete,
    },
  ];
  return (
    <header className="head">
      <BackButton />
      <div className="grow">
        <h1 className="clip">
          {permissionError(role, 'session/titleChanged') === undefined ? (
            <button type="button" className="title-button clip" title="Rename (R)" onClick={onRename}>
              {title || 'New session'}
            </button>
          ) : (
            title || 'New session'
          )}
        </h1>
        <div className="sub">
          {folder && (
            <span className="wide" title={pathOf(folder)}>
              <Folder size={13} aria-hidden />
              {shortPath(folder, host?.provider.folders.home)}
            </span>
          )}
          {branch && (
            <span>
              <GitBranch size={13} aria-hidden />
              {branch}
            </span>
          )}
          {workspace?.requiresWorkspaceTrust && (
            <span title="You will be asked whether you trust this folder before the agent continues.">
              <ShieldQuestionMark size={13} aria-hidden />
              Not trusted
            </span>
          )}
          <span className="wide">
            <AgentIcon icon={session.icon} />
            {agentName(place, session.sessionType)}
            {modelName && `, ${modelName}`}
            {mode && `, ${mode.name ?? mode.id}`}
          </span>
        </div>
      </div>
      <div className="right">
        {others.slice(0, 3).map((other, index) => {
          const { name, device } = authorName(other, me);
          return (
            <span
              key={other.clientId}
              className={index === 0 ? 'stat' : 'stat wide'}
              title={`${name}${device} looks at this session`}
            >
              <span className="ava" aria-hidden="true">
                {initials(name)}
              </span>
              <span className={others.length === 1 ? 'who-name' : 'sr'}>{`${name}${device}`}</span>
            </span>
          );
        })}
        <ContextRing state={state} models={models} />
        {changes.length > 0 && (
          <button
            type="button"
            className="stat wide"
            title="Changed files (D)"
            onClick={() => setDialog('changes')}
            data-changes
          >
            <FileDiff size={15} aria-hidden />
            <span className="sr">Changed files:</span>
            <Delta insertions={sum(changes, 'insertions')} deletions={sum(changes, 'deletions')} />
          </button>
        )}
        {host ? <HostState host={host} /> : <span className="stat wide">{place.name}</span>}
        {isActive && !goesOn && (
          <span className="stat wide" title="Its agent stops when this page is closed.">
            Runs in this page
          </span>
        )}
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
        <CustomizationsDialog state={state} model={model} role={role} onClose={() => setDialog(undefined)} />
      )}
      {dialog === 'files' && <FilesDialog model={model} onClose={() => setDialog(undefined)} />}
      {dialog === 'newChat' && <NewChatDialog session={session} onClose={() => setDialog(undefined)} />}
      {dialog === 'deleteChat' && (
        <DeleteChatDialog session={session} chat={model.resource} onClose={() => setDialog(undefined)} />
      )}
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

function sum<K extends string>(items: readonly Record<K, number>[], key: K): number {
  return items.reduce((total, item) => total + item[key], 0);
}
