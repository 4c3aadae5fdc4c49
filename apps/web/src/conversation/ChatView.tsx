import type { PendingMessage, SessionState, UserMessage } from '@agenthost/protocol';
import type { ChatModel, Session } from '@agenthost/sessions';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { PageHost } from '../app/pageHosts.js';
import { goTo } from '../app/route.js';
import { useServices } from '../app/services.js';
import { useObservable } from '../app/useObservable.js';
import { useShortcuts } from '../app/useShortcuts.js';
import { Composer, type Draft, EMPTY_DRAFT } from '../composer/Composer.js';
import { Queue } from '../composer/Queue.js';
import { agentName } from '../list/agentName.js';
import { Banner } from './Banner.js';
import { ChatHeader } from './ChatHeader.js';
import { type ChatContext, ChatProvider } from './chatContext.js';
import { ModelPicker } from './ModelPicker.js';
import { Skeleton } from './Skeleton.js';
import { Thread, type ThreadHandle } from './Thread.js';

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
  const { host, chat } = props;
  const [model, setModel] = useState<ChatModel>();
  useEffect(() => {
    const opened = host.provider.openChat(chat);
    setModel(opened);
    return () => opened.dispose();
  }, [host, chat]);
  if (!model || model.resource !== chat) return <main className="main" />;
  return <OpenedChat key={chat} {...props} model={model} />;
}

function OpenedChat({ session, host, chat, model, onRename, onDelete }: ChatViewProps & { readonly model: ChatModel }) {
  const { management, settings } = useServices();
  const state = useObservable(model.state);
  const phase = useObservable(model.phase);
  const staleSince = useObservable(host.provider.status.staleSince);
  const { singleLetters } = useObservable(settings.value);
  const thread = useRef<ThreadHandle>(null);
  const [problem, setProblem] = useState<string>();
  const name = agentName(host, session.sessionType);

  const attempt = (work: Promise<unknown>) => {
    work.then(
      () => setProblem(undefined),
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
  };
  const fork = (turnId?: string) => {
    const forked = host.provider.forkChat(chat, turnId);
    attempt(forked.then((to) => goTo({ view: 'session', sessionId: to.sessionId })));
  };
  const folder = state?.summary.workingDirectory;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it does is the same for the same chat
  const context = useMemo(
    (): ChatContext => ({
      me: host.clientId,
      agentName: name,
      hostName: host.name,
      folder,
      staleSince,
      approve: (turnId, id, options) => prompt(model, id, (one) => one.approve(options), turnId),
      deny: (turnId, id, options) => prompt(model, id, (one) => one.deny(options), turnId),
      answer: async (_turnId, id, answer) => {
        const found = model.permissions.value.find(({ request }) => request.requestId === id);
        if (!found) throw new Error('Somebody was faster: it is answered.');
        await found.answer(answer);
      },
      fetchContent: (uri, range) => model.fetchContent(uri, range ? { range } : {}),
      fork,
      retry: (text) => attempt(model.submit(text)),
    }),
    [model, host, name, folder, staleSince],
  );
  const composer = useComposer(chat, model, state, thread);
  const isRead = useObservable(session.isRead);
  const isOpen = phase.state === 'open';
  // Seen is read, as long as somebody really sees it.
  useEffect(() => {
    if (isOpen && !isRead && document.visibilityState === 'visible')
      management.setRead(session, true).catch(() => undefined);
  }, [isOpen, isRead, management, session]);
  useShortcuts(
    [
      { key: 'c', run: () => document.querySelector<HTMLElement>('[data-composer]')?.focus() },
      { key: 'g', run: () => thread.current?.toNewest() },
      { key: 'j', run: () => thread.current?.step(1) },
      { key: 'k', run: () => thread.current?.step(-1) },
      { key: 'f', run: () => fork() },
      { key: 'r', run: onRename },
    ],
    singleLetters,
  );
  const canSteer = true;
  const running = state?.activeTurn !== undefined;
  const offline = staleSince !== undefined;
  const kept = offline && isKept(model);
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
        <Banner host={host} phase={phase} problem={problem} onDismiss={() => setProblem(undefined)} />
        {state ? (
          <Thread ref={thread} state={state} kept={kept} loadEarlier={() => model.loadEarlierTurns()} />
        ) : (
          <Skeleton />
        )}
        <div className="dock">
          <div className="col">
            <Queue
              messages={state?.queuedMessages ?? []}
              steering={state?.steeringMessage}
              onReorder={(order) => attempt(model.reorderQueue(order))}
              onEdit={composer.edit}
              onRemove={(id) => attempt(model.removePending(id))}
            />
            <Composer
              draft={composer.draft}
              onDraft={composer.setDraft}
              onSend={composer.send}
              onStop={() => attempt(model.cancel())}
              onEditLast={composer.editLast}
              running={running}
              canSteer={canSteer}
              placeholder={placeholder(offline, running, host.name, composer.editing)}
              autoFocus={window.innerWidth >= 720}
            >
              <ModelPicker host={host} session={session} state={state} onModel={(id) => attempt(model.setModel(id))} />
            </Composer>
          </div>
        </div>
      </main>
    </ChatProvider>
  );
}

function useComposer(
  chat: string,
  model: ChatModel,
  state: SessionState | undefined,
  thread: { readonly current: ThreadHandle | null },
) {
  const { drafts } = useServices();
  const [draft, setDraftState] = useState<Draft>(() => ({ ...EMPTY_DRAFT, text: drafts.of(chat).value }));
  const [editing, setEditing] = useState<string>();
  const setDraft = (next: Draft) => {
    setDraftState(next);
    drafts.set(chat, next.text);
  };
  const edit = (message: PendingMessage) => {
    setEditing(message.id);
    setDraft({ text: message.userMessage.text, attachments: message.userMessage.attachments ?? [] });
    document.querySelector<HTMLElement>('[data-composer]')?.focus();
  };
  const send = async (message: UserMessage, how: 'send' | 'steer') => {
    const edited = editing;
    setEditing(undefined);
    thread.current?.toNewest();
    const isStillQueued = edited !== undefined && state?.queuedMessages?.some(({ id }) => id === edited);
    if (isStillQueued) await model.editPending(edited, message);
    else if (how === 'steer') await model.steer(message);
    else await model.submit(message);
  };
  const editLast = () => {
    const last = state?.queuedMessages?.at(-1);
    if (last) edit(last);
  };
  return { draft, setDraft, edit, send, editLast, editing };
}

async function prompt(
  model: ChatModel,
  toolCallId: string,
  answer: (confirmation: ChatModel['confirmations']['value'][number]) => Promise<void>,
  turnId: string,
): Promise<void> {
  const found = model.confirmations.value.find(
    (one) => one.toolCall.toolCallId === toolCallId && one.turnId === turnId,
  );
  if (!found) throw new Error("Somebody was faster. Your answer wasn't used.");
  await answer(found);
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
