import type { AgentInfo, SessionState, UserMessage } from '@agenthost/protocol';
import { turnsAwaitingLogin } from '@agenthost/protocol/internal';
import {
  type ChatModel,
  constant,
  locationOf,
  parseSessionId,
  type Session,
  type SessionsManagementService,
} from '@agenthost/sessions';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { MessageDrafts } from '../app/messageDrafts.js';
import { asHost, type PagePlace } from '../app/pagePlace.js';
import { type GuardedOperation, permissionError } from '../app/permissionError.js';
import { problemText } from '../app/problemText.js';
import { goTo } from '../app/route.js';
import { useServices } from '../app/services.js';
import { useAttempt } from '../app/useAttempt.js';
import { useFrameObservable } from '../app/useFrameObservable.js';
import { useObservable } from '../app/useObservable.js';
import { useShortcuts } from '../app/useShortcuts.js';
import { useStable } from '../app/useStable.js';
import { AwayNote } from '../composer/AwayNote.js';
import { Composer } from '../composer/Composer.js';
import { mentionFile } from '../composer/mentions.js';
import { Queue, type QueueHold } from '../composer/Queue.js';
import { RoleNote } from '../composer/RoleNote.js';
import { Strip } from '../composer/Strip.js';
import { useComposer } from '../composer/useComposer.js';
import { useModeKey } from '../composer/useModeKey.js';
import { usePlan } from '../composer/usePlan.js';
import { FilesProvider } from '../files/filesContext.js';
import { useChatFiles } from '../files/useChatFiles.js';
import { useReviewRoute } from '../review/useReviewRoute.js';
import { useTerminals } from '../terminal/useTerminals.js';
import { Banner } from './Banner.js';
import { ChatProvider } from './chatContext.js';
import { ChatHeader } from './header/ChatHeader.js';
import { ModelPicker } from './header/ModelPicker.js';
import { lastName } from './relativePath.js';
import { KeptMessages } from './thread/KeptMessages.js';
import { NoConversation } from './thread/NoConversation.js';
import { Thread, type ThreadHandle } from './thread/Thread.js';
import { useSeen } from './thread/useSeen.js';
import { useChatContext } from './useChatContext.js';

/** Loaded when it is shown first. */
const ReviewView = lazy(async () => ({ default: (await import('../review/ReviewView.js')).ReviewView }));

const FolderPanel = lazy(async () => ({ default: (await import('../files/FolderPanel.js')).FolderPanel }));

const TerminalDock = lazy(async () => ({ default: (await import('../terminal/TerminalDock.js')).TerminalDock }));

/** For a place that is no host. */
const NO_AGENTS = constant<readonly AgentInfo[]>([]);

interface ChatViewProps {
  readonly session: Session;
  readonly place: PagePlace;
  /** The chat's resource. */
  readonly chat: string;
  /** Words of a search: the conversation opens at the newest turn that has them. */
  readonly find?: string | undefined;
  /** The changes are shown in place of it. Missing where there is no review. */
  readonly isReviewing?: boolean;
  readonly onRename: () => void;
  readonly onDelete: () => void;
}

/** One conversation: opened when it is shown, closed when it isn't. */
export function ChatView(props: ChatViewProps) {
  const { session, chat, place } = props;
  const { management } = useServices();
  const [opened, setOpened] = useState<Opened>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a place that comes back brings another provider
  useEffect(() => {
    const next = open(management, session, chat);
    setOpened(next);
    return () => next.model?.dispose();
  }, [management, session, chat, place]);
  if (opened?.chat !== chat) return <main className="main" />;
  if (opened.model) return <OpenedChat key={chat} {...props} model={opened.model} />;
  return <NoConversation session={session} reason={opened.reason} />;
}

interface Opened {
  readonly chat: string;
  readonly model?: ChatModel | undefined;
  /** Why there is none. */
  readonly reason: string;
}

function open(management: SessionsManagementService, session: Session, chat: string): Opened {
  try {
    const model = management.openModel(session, chat);
    return { chat, model, reason: 'The provider of this session lists it, but shows no conversation.' };
  } catch (error) {
    return { chat, reason: problemText(error) };
  }
}

function OpenedChat({
  session,
  place,
  chat,
  find,
  isReviewing,
  model,
  onRename,
  onDelete,
}: ChatViewProps & { readonly model: ChatModel }) {
  const { management, settings, unsent, drafts } = useServices();
  const unacknowledged = useObservable(useStable(() => unsent.of(chat), [unsent, chat]));
  const state = useFrameObservable(model.state);
  const phase = useObservable(model.phase);
  const staleSince = useObservable(place.staleSince);
  const role = useObservable(place.role);
  const { singleLetters } = useObservable(settings.value);
  const thread = useRef<ThreadHandle>(null);
  const { problem, setProblem, attempt } = useAttempt();

  const fork = (turnId?: string) => {
    const forked = management.forkChat(session, chat, turnId);
    attempt(forked.then((to) => goTo({ view: 'session', sessionId: to.sessionId })));
  };
  const cancel = () => attempt(model.cancel({ holdQueue: true }));
  const folder = state?.summary.workingDirectory;
  const may = (operation: GuardedOperation) => permissionError(role, operation) === undefined;
  const canFork = management.canFork(session);
  const host = asHost(place);
  const uri = parseSessionId(chat).localId;
  const terminals = useTerminals(host, uri);
  const files = useChatFiles(host, uri, { role, folder, turns: state?.turns.length ?? 0 });
  const [reviewAt, setReviewAt] = useState<string>();
  const context = useChatContext(
    { session, place, model, folder, onLost: setProblem },
    {
      fork: canFork && may('forkSession') ? fork : undefined,
      awaitingLogin: turnsAwaitingLogin(state?.turns ?? [])
        .map(({ id }) => id)
        .join(' '),
      showChanges: () => showChanges(),
      retry:
        may('session/turnStarted') && state?.lifecycle !== 'creationFailed'
          ? (message) => attempt(model.submit(message))
          : undefined,
      edit: may('session/turnStarted')
        ? (message) => attempt(model.wholeMessage(message).then((whole) => takeUp(drafts, chat, whole)))
        : undefined,
      stop: may('session/turnCancelled') ? cancel : undefined,
    },
  );
  /** A key has no place to show why it does nothing. */
  const orSay = (operation: GuardedOperation, run: () => void) => () => {
    const refusal = permissionError(role, operation);
    if (refusal === undefined) run();
    else setProblem(refusal);
  };
  const composer = useComposer(chat, model, state, () => thread.current?.toNewest());
  useSeen(model, state, role);
  const review = useReviewRoute(session, chat, isReviewing === true);
  const reviewed = isReviewing === undefined ? undefined : host;
  const showChanges = (path?: string) => {
    setReviewAt(path);
    if (reviewed) review.open();
    else document.querySelector<HTMLElement>('[data-changes]')?.click();
  };
  useShortcuts(
    [
      { key: 'd', run: () => showChanges() },
      ...(files ? [{ key: 'o', run: () => files.open() }] : []),
      { key: 'c', run: () => document.querySelector<HTMLElement>('[data-composer]')?.focus() },
      { key: 'g', run: () => thread.current?.toNewest() },
      { key: 'j', run: () => thread.current?.step(1) },
      { key: 'k', run: () => thread.current?.step(-1) },
      ...(canFork ? [{ key: 'f', run: orSay('forkSession', () => fork()) }] : []),
      ...(terminals ? [{ key: '`', withControl: true, run: terminals.toggle }] : []),
      { key: 'r', run: orSay('session/titleChanged', onRename) },
    ],
    singleLetters,
  );
  const plan = usePlan(model, state);
  const agents = useObservable(host?.provider.status.agents ?? NO_AGENTS);
  const models = agents.find(({ provider }) => provider === session.sessionType)?.models ?? [];
  const canChoose = model.supports.has('settings') && may('session/settingChosen');
  const chooseSetting = canChoose
    ? (setting: string, value: string) => attempt(model.chooseSetting(setting, value))
    : undefined;
  useModeKey(state, chooseSetting);
  const running = state?.activeTurn !== undefined;
  const offline = staleSince !== undefined;
  const kept = offline && isKept(model);
  const stop = running && may('session/turnCancelled') && (
    <button type="button" className="btn plain" onClick={cancel}>
      Stop the turn
    </button>
  );
  return (
    <ChatProvider value={context}>
      <FilesProvider value={files?.text}>
        <main className="main">
          <ChatHeader
            session={session}
            place={place}
            state={state}
            model={model}
            onRename={onRename}
            onDelete={onDelete}
            onFork={canFork ? () => fork() : undefined}
            onReview={reviewed && (() => showChanges())}
            onFiles={files && (() => files.open())}
            terminals={terminals}
            onProblem={attempt}
          />
          <Banner
            place={place}
            phase={phase}
            creationError={state?.creationError}
            problem={problem}
            onDismiss={() => setProblem(undefined)}
            onRetry={() => model.retryNow?.()}
          />
          {state ? (
            <Thread
              ref={thread}
              state={state}
              kept={kept}
              find={find}
              loadEarlier={() => model.loadEarlierTurns()}
              trim={(keep) => model.trimTurns(keep)}
            />
          ) : (
            <KeptMessages messages={unacknowledged} />
          )}
          {model.supports.has('submit') && (
            <div className="dock">
              <div className="col">
                <Queue
                  messages={state?.queuedMessages ?? []}
                  steering={state?.steeringMessage}
                  held={holdOf(state)}
                  onResume={may('session/turnStarted') ? () => attempt(model.resumeQueue()) : undefined}
                  onReorder={
                    may('session/queuedMessagesReordered') ? (order) => attempt(model.reorderQueue(order)) : undefined
                  }
                  onEdit={may('session/pendingMessageSet') ? (message) => attempt(composer.edit(message)) : undefined}
                  onRemove={may('session/pendingMessageRemoved') ? (id) => attempt(model.removePending(id)) : undefined}
                />
                <Strip chat={chat} state={state} models={models} plan={plan} onChoose={chooseSetting} />
                <RoleNote role={role} operation="session/turnStarted" instead={stop}>
                  <AwayNote
                    location={locationOf(state?.summary.metadata)}
                    onFork={canFork && may('forkSession') ? () => fork() : undefined}
                  >
                    <Composer
                      draft={composer.draft}
                      onDraft={composer.setDraft}
                      onSend={composer.send}
                      onStop={cancel}
                      onEditLast={() => attempt(composer.editLast())}
                      running={running}
                      canSteer={model.supports.has('steer')}
                      placeholder={placeholder(offline, running, place.name, composer.editing)}
                      folder={files?.folder}
                      folderUri={files?.folderUri}
                      autoFocus={window.innerWidth >= 720}
                      {...(state?.commands && { commands: state.commands })}
                    >
                      {host && (
                        <ModelPicker
                          host={host}
                          session={session}
                          state={state}
                          onModel={(id) => attempt(model.setModel(id))}
                        />
                      )}
                    </Composer>
                  </AwayNote>
                </RoleNote>
              </div>
            </div>
          )}
          {terminals?.isShown && (
            <Suspense>
              <TerminalDock key={uri} place={place} session={uri} terminals={terminals} />
            </Suspense>
          )}
        </main>
        {isReviewing && reviewed && (
          <Suspense>
            <ReviewView
              session={session}
              host={reviewed}
              model={model}
              state={state}
              at={reviewAt}
              onClose={review.close}
            />
          </Suspense>
        )}
        {files?.shown && (
          <Suspense>
            <FolderPanel
              folder={files.folder}
              name={folder === undefined ? '' : lastName(folder)}
              shown={files.shown}
              onOpen={files.open}
              onClose={files.close}
              onChanges={
                reviewed &&
                ((path) => {
                  files.close();
                  showChanges(path);
                })
              }
              onMention={
                may('session/turnStarted')
                  ? (path) => {
                      files.close();
                      mentionFile(drafts, chat, path, files.folderUri);
                    }
                  : undefined
              }
            />
          </Suspense>
        )}
      </FilesProvider>
    </ChatProvider>
  );
}

/** Puts a message in front of what is written, to be changed and sent again. */
function takeUp(drafts: MessageDrafts, chat: string, message: UserMessage): void {
  drafts.giveBack(chat, message);
  document.querySelector<HTMLElement>('[data-composer]')?.focus();
}

/** The running turn is this page's own and has not reached the host. */
function isKept(model: ChatModel): boolean {
  const shown = model.state.value?.activeTurn?.id;
  return shown !== undefined && shown !== model.confirmed.value?.activeTurn?.id;
}

function holdOf(state: SessionState | undefined): QueueHold {
  const last = state?.activeTurn ? undefined : state?.turns.at(-1);
  if (last?.holdsQueue) return 'stopped';
  return last?.state === 'error' ? 'failed' : undefined;
}

function placeholder(offline: boolean, running: boolean, hostName: string, editing: string | undefined): string {
  if (editing !== undefined) return 'Edit the queued message';
  if (offline) return `Messages are kept until ${hostName} is back`;
  return running ? 'Queue a message' : 'Send a message';
}
