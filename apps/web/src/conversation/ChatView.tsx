import type { ChatModel, Session } from '@agenthost/sessions';
import { useEffect, useRef, useState } from 'react';
import type { PageHost } from '../app/pageHosts.js';
import { goTo } from '../app/route.js';
import { useServices } from '../app/services.js';
import { useAttempt } from '../app/useAttempt.js';
import { useFrameObservable } from '../app/useFrameObservable.js';
import { useObservable } from '../app/useObservable.js';
import { useShortcuts } from '../app/useShortcuts.js';
import { useStable } from '../app/useStable.js';
import { type Deed, whyNot } from '../app/whyNot.js';
import { Composer } from '../composer/Composer.js';
import { Queue } from '../composer/Queue.js';
import { RoleNote } from '../composer/RoleNote.js';
import { useComposer } from '../composer/useComposer.js';
import { Banner } from './Banner.js';
import { ChatHeader } from './ChatHeader.js';
import { ChatProvider } from './chatContext.js';
import { KeptMessages } from './KeptMessages.js';
import { ModelPicker } from './ModelPicker.js';
import { Thread, type ThreadHandle } from './Thread.js';
import { useChatContext } from './useChatContext.js';
import { useSeen } from './useSeen.js';

interface ChatViewProps {
  readonly session: Session;
  readonly host: PageHost;
  /** The chat's resource. */
  readonly chat: string;
  readonly onRename: () => void;
  readonly onDelete: () => void;
}

/** One conversation: opened when it is shown, closed when it isn't. */
export function ChatView(props: ChatViewProps) {
  const { chat } = props;
  const { provider } = props.host;
  const [model, setModel] = useState<ChatModel>();
  useEffect(() => {
    const opened = provider.openChat(chat);
    setModel(opened);
    return () => opened.dispose();
  }, [provider, chat]);
  if (!model || model.resource !== chat) return <main className="main" />;
  return <OpenedChat key={chat} {...props} model={model} />;
}

function OpenedChat({ session, host, chat, model, onRename, onDelete }: ChatViewProps & { readonly model: ChatModel }) {
  const { settings, unsent } = useServices();
  const unacknowledged = useObservable(useStable(() => unsent.of(chat), [unsent, chat]));
  const state = useFrameObservable(model.state);
  const phase = useObservable(model.phase);
  const staleSince = useObservable(host.provider.status.staleSince);
  const role = useObservable(host.role);
  const { singleLetters } = useObservable(settings.value);
  const thread = useRef<ThreadHandle>(null);
  const { problem, setProblem, attempt } = useAttempt();

  const fork = (turnId?: string) => {
    const forked = host.provider.forkChat(chat, turnId);
    attempt(forked.then((to) => goTo({ view: 'session', sessionId: to.sessionId })));
  };
  const folder = state?.summary.workingDirectory;
  const may = (deed: Deed) => whyNot(role, deed) === undefined;
  const context = useChatContext(
    { session, host, model, folder, onLost: setProblem },
    {
      fork: may('forkSession') ? fork : undefined,
      showChanges: () => document.querySelector<HTMLElement>('[data-changes]')?.click(),
      retry: may('session/turnStarted') ? (message) => attempt(model.submit(message)) : undefined,
    },
  );
  /** A key has no place to say why it does nothing. */
  const orSay = (deed: Deed, run: () => void) => () => {
    const refusal = whyNot(role, deed);
    if (refusal === undefined) run();
    else setProblem(refusal);
  };
  const composer = useComposer(chat, model, state, () => thread.current?.toNewest());
  useSeen(model, state, role);
  useShortcuts(
    [
      { key: 'c', run: () => document.querySelector<HTMLElement>('[data-composer]')?.focus() },
      { key: 'g', run: () => thread.current?.toNewest() },
      { key: 'j', run: () => thread.current?.step(1) },
      { key: 'k', run: () => thread.current?.step(-1) },
      { key: 'f', run: orSay('forkSession', () => fork()) },
      { key: 'r', run: orSay('session/titleChanged', onRename) },
    ],
    singleLetters,
  );
  const running = state?.activeTurn !== undefined;
  const offline = staleSince !== undefined;
  const kept = offline && isKept(model);
  const stop = running && may('session/turnCancelled') && (
    <button type="button" className="btn plain" onClick={() => attempt(model.cancel())}>
      Stop the turn
    </button>
  );
  return (
    <ChatProvider value={context}>
      <main className="main">
        <ChatHeader
          session={session}
          host={host}
          state={state}
          model={model}
          onRename={onRename}
          onDelete={onDelete}
          onFork={() => fork()}
          onProblem={attempt}
        />
        <Banner
          host={host}
          phase={phase}
          problem={problem}
          onDismiss={() => setProblem(undefined)}
          onRetry={() => model.retryNow()}
        />
        {state ? (
          <Thread
            ref={thread}
            state={state}
            kept={kept}
            loadEarlier={() => model.loadEarlierTurns()}
            trim={(keep) => model.trimTurns(keep)}
          />
        ) : (
          <KeptMessages messages={unacknowledged} />
        )}
        <div className="dock">
          <div className="col">
            <Queue
              messages={state?.queuedMessages ?? []}
              steering={state?.steeringMessage}
              onReorder={
                may('session/queuedMessagesReordered') ? (order) => attempt(model.reorderQueue(order)) : undefined
              }
              onEdit={may('session/pendingMessageSet') ? (message) => attempt(composer.edit(message)) : undefined}
              onRemove={may('session/pendingMessageRemoved') ? (id) => attempt(model.removePending(id)) : undefined}
            />
            <RoleNote role={role} deed="session/turnStarted" instead={stop}>
              <Composer
                draft={composer.draft}
                onDraft={composer.setDraft}
                onSend={composer.send}
                onStop={() => attempt(model.cancel())}
                onEditLast={() => attempt(composer.editLast())}
                running={running}
                canSteer
                placeholder={placeholder(offline, running, host.name, composer.editing)}
                autoFocus={window.innerWidth >= 720}
                {...(state?.commands && { commands: state.commands })}
              >
                <ModelPicker
                  host={host}
                  session={session}
                  state={state}
                  onModel={(id) => attempt(model.setModel(id))}
                />
              </Composer>
            </RoleNote>
          </div>
        </div>
      </main>
    </ChatProvider>
  );
}

/** The running turn is this page's own and has not reached the host. */
function isKept(model: ChatModel): boolean {
  const shown = model.state.value?.activeTurn?.id;
  return shown !== undefined && shown !== model.confirmed.value?.activeTurn?.id;
}

function placeholder(offline: boolean, running: boolean, hostName: string, editing: string | undefined): string {
  if (editing !== undefined) return 'Edit the queued message';
  if (offline) return `Messages are kept until ${hostName} is back`;
  return running ? 'Queue a message' : 'Send a message';
}
