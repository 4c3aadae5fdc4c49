import type { AgentInfo, SessionState } from '@agenthost/protocol';
import { type ChatModel, constant, parseSessionId, type Session } from '@agenthost/sessions';
import { Ellipsis, FileDiff, Folder, GitBranch, ShieldCheck, ShieldQuestionMark, SquareTerminal } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { agentsForHandOver, HandOverDialog } from '../../agents/HandOverDialog.js';
import { ownIds } from '../../app/ownIds.js';
import { asHost, type PagePlace } from '../../app/pagePlace.js';
import { permissionError } from '../../app/permissionError.js';
import { goTo } from '../../app/route.js';
import { useServices } from '../../app/services.js';
import { useObservable } from '../../app/useObservable.js';
import { BackButton } from '../../controls/BackButton.js';
import { AgentIcon } from '../../glyphs/agentIcon.js';
import { agentName } from '../../list/agentName.js';
import { ApprovalsDialog } from '../../overlays/ApprovalsDialog.js';
import { archiveSessions } from '../../overlays/archiveSessions.js';
import { ChangesDialog } from '../../overlays/ChangesDialog.js';
import { CustomizationsDialog } from '../../overlays/CustomizationsDialog.js';
import { DeleteChatDialog } from '../../overlays/DeleteChatDialog.js';
import { DeleteEverywhereDialog } from '../../overlays/DeleteEverywhereDialog.js';
import { FilesDialog } from '../../overlays/FilesDialog.js';
import { Menu, type MenuItem } from '../../overlays/Menu.js';
import { NewChatDialog } from '../../overlays/NewChatDialog.js';
import type { PageTerminals } from '../../terminal/useTerminals.js';
import { authorName, initials } from '../authorName.js';
import { homeOf, pathOf, shortPath } from '../relativePath.js';
import { Delta } from '../turn/DiffCard.js';
import { modelOf } from './ContextRing.js';
import { HostState } from './HostState.js';
import { Location, WorktreeTag } from './Location.js';
import { type SessionAction, sessionActions } from './sessionActions.js';
import { type SessionDialog, sessionMenu } from './sessionMenu.js';

/** Loaded when it is opened, as all that shows QR codes. */
const ShareDialog = lazy(async () => ({ default: (await import('../../sharing/ShareDialog.js')).ShareDialog }));

const ExportDialog = lazy(async () => ({ default: (await import('../../sharing/ExportDialog.js')).ExportDialog }));

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
  /** Shows the changes. Missing where there is no host. */
  readonly onReview: (() => void) | undefined;
  /** Shows the files of the folder. Missing where the role sees none. */
  readonly onFiles: (() => void) | undefined;
  /** Missing where there is no host. */
  readonly terminals: PageTerminals | undefined;
  readonly onProblem: (work: Promise<unknown>) => void;
}

export function ChatHeader(props: ChatHeaderProps) {
  const { session, place, state, model, onRename, onDelete, onFork, onReview, onFiles, terminals, onProblem } = props;
  const { management, undos } = useServices();
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
  const approvals = state?.approvals ?? [];
  const [dialog, setDialog] = useState<SessionDialog | 'approvals' | 'changes'>();
  const changes = state?.summary.changes ?? [];
  const folder = state?.summary.workingDirectory;
  const branch = hasRepository ? workspace?.repositories[0]?.detail : undefined;
  const others = (state?.clients ?? []).filter(({ clientId }) => !me.has(clientId));
  const agents = useObservable(host?.provider.status.agents ?? NO_AGENTS);
  const takers = host?.provider.status.canHandOver ? agentsForHandOver(agents, session.sessionType) : [];
  const models = agents.find(({ provider }) => provider === session.sessionType)?.models ?? [];
  const modelName = modelOf(models, state?.summary.model)?.name;
  const items = sessionMenu({
    role,
    isArchived,
    supportsMultiChat,
    hasHost: host !== undefined,
    hasSeveralChats: chats.length > 1,
    canHandOver: takers.length > 0,
    supports: model.supports,
    canExport: model.exported !== undefined,
    hasCopies: agents.some(({ provider, runsInput }) => provider === session.sessionType && runsInput !== true),
    terminals,
    onRename,
    onFork,
    onDelete,
    onReview,
    onFiles,
    onArchive: () => onProblem(archiveSessions(management, undos, [session])),
    onUnread: () => onProblem(management.setRead(session, false).then(() => goTo({ view: 'start' }))),
    onDialog: setDialog,
  });
  const changed = changes.length > 0;
  const running = state?.activeTurn !== undefined && permissionError(role, 'session/turnCancelled') === undefined;
  // After each rendering, so that the palette offers what the menu does.
  useEffect(() => {
    sessionActions.set([
      ...items.flatMap((item) => (item === 'line' || item.disabledReason !== undefined ? [] : [asAction(item)])),
      ...(approvals.length > 0 ? [{ label: 'Show what is always allowed', choose: () => setDialog('approvals') }] : []),
      ...(changed && !onReview ? [{ label: 'Show changed files', keys: 'D', choose: () => setDialog('changes') }] : []),
      ...(running ? [{ label: 'Stop the turn', choose: () => onProblem(model.cancel({ holdQueue: true })) }] : []),
    ]);
  });
  useEffect(() => () => sessionActions.set([]), []);
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
              <span className="clip">{shortPath(folder, homeOf(host?.provider.folders.home))}</span>
            </span>
          )}
          {branch && (
            <span>
              <GitBranch size={13} aria-hidden />
              <span className="clip">{branch}</span>
            </span>
          )}
          <WorktreeTag workspace={workspace} />
          {workspace?.location && <Location location={workspace.location} />}
          {workspace?.requiresWorkspaceTrust && (
            <span title="You will be asked whether you trust this folder before the agent continues.">
              <ShieldQuestionMark size={13} aria-hidden />
              Not trusted
            </span>
          )}
          {approvals.length > 0 && (
            <button
              type="button"
              className="always"
              aria-label={approvals.length === 1 ? 'Always allowed' : `${approvals.length} always allowed`}
              title="What the agent does without asking"
              onClick={() => setDialog('approvals')}
            >
              <ShieldCheck size={13} aria-hidden />
              {approvals.length > 1 && `${approvals.length} `}
              <span className="words">{approvals.length === 1 ? 'Always allowed' : 'always allowed'}</span>
            </button>
          )}
          <span className="wide">
            <AgentIcon icon={session.icon} />
            <span className="clip">
              {agentName(place, session.sessionType)}
              {modelName && `, ${modelName}`}
              {mode && `, ${mode.name ?? mode.id}`}
            </span>
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
        {changes.length > 0 && (
          <button
            type="button"
            className="stat wide"
            title="Changed files (D)"
            onClick={onReview ?? (() => setDialog('changes'))}
            data-changes
          >
            <FileDiff size={15} aria-hidden />
            <span className="sr">Changed files:</span>
            <Delta insertions={sum(changes, 'insertions')} deletions={sum(changes, 'deletions')} />
          </button>
        )}
        {terminals && terminals.items.length > 0 && (
          <button
            type="button"
            className="stat wide"
            title="Terminals (Ctrl `)"
            aria-pressed={terminals.isShown}
            onClick={terminals.toggle}
          >
            <SquareTerminal size={15} aria-hidden />
            <span className="sr">Terminals:</span>
            {terminals.items.length}
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
      {dialog === 'approvals' && (
        <ApprovalsDialog
          approvals={approvals}
          agentName={agentName(place, session.sessionType)}
          model={model}
          role={role}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === 'changes' && (
        <ChangesDialog changes={changes} folder={folder} state={state} onClose={() => setDialog(undefined)} />
      )}
      {dialog === 'customizations' && (
        <CustomizationsDialog state={state} model={model} role={role} onClose={() => setDialog(undefined)} />
      )}
      {dialog === 'files' && <FilesDialog model={model} onClose={() => setDialog(undefined)} />}
      {dialog === 'newChat' && <NewChatDialog session={session} onClose={() => setDialog(undefined)} />}
      {dialog === 'handOver' && (
        <HandOverDialog session={session} chat={model.resource} agents={takers} onClose={() => setDialog(undefined)} />
      )}
      {dialog === 'export' && model.exported && (
        <Suspense>
          <ExportDialog model={model} title={title} onClose={() => setDialog(undefined)} />
        </Suspense>
      )}
      {dialog === 'share' && host && (
        <Suspense>
          <ShareDialog
            host={host}
            session={parseSessionId(model.resource).localId}
            title={title}
            onClose={() => setDialog(undefined)}
          />
        </Suspense>
      )}
      {dialog === 'deleteEverywhere' && (
        <DeleteEverywhereDialog
          session={session}
          agent={agentName(place, session.sessionType)}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === 'deleteChat' && (
        <DeleteChatDialog session={session} chat={model.resource} onClose={() => setDialog(undefined)} />
      )}
    </header>
  );
}

/** In the palette there is no menu around it that says what it is about. */
function asAction({ label, icon, hint, choose }: MenuItem): SessionAction {
  const alone = /^(?:Rename|Archive|Unarchive|Fork|Delete)$/.test(label) ? `${label} this session` : label;
  const inFull: Readonly<Record<string, string>> = {
    'Mark unread': 'Mark this session unread',
    'Export…': 'Export this session…',
  };
  return { label: inFull[label] ?? alone, icon, keys: hint, choose };
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
