import type { ChatModel, Session, WaitingChat } from '@agenthost/sessions';
import { ArrowRight, Bell, BellOff, X } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { askForNotifications } from '../app/notifications.js';
import { ownIds } from '../app/ownIds.js';
import type { PageHost } from '../app/pageHosts.js';
import { goTo } from '../app/route.js';
import { useServices } from '../app/services.js';
import { useObservable } from '../app/useObservable.js';
import { Confirmation } from '../conversation/Confirmation.js';
import { type ChatContext, ChatProvider } from '../conversation/chatContext.js';
import { Question } from '../conversation/Question.js';
import { useAnswers } from '../conversation/useAnswers.js';
import { AgentIcon } from '../glyphs/agentIcon.js';
import { agentName } from '../list/agentName.js';
import { Dialog } from './Dialog.js';

const MOST_ANSWERED = 20;

/** Everything that waits for an answer, over all hosts, to be answered where it stands. */
export function Tray({ onClose }: { readonly onClose: () => void }) {
  const { management, settings, needsInput } = useServices();
  const { notifications } = useObservable(settings.value);
  const waiting = useObservable(needsInput.waiting);
  const count = useObservable(needsInput.count);
  const [answered, setAnswered] = useState<readonly { readonly id: string; readonly title: string }[]>([]);
  const [lost, setLost] = useState<string>();
  const seen = useMemo(() => new Map<string, string>(), []);
  useEffect(() => {
    const open = new Set(waiting.map(({ session }) => session.sessionId));
    const gone = [...seen].filter(([id]) => !open.has(id)).map(([id, title]) => ({ id, title }));
    for (const { id } of gone) seen.delete(id);
    for (const { session } of waiting) seen.set(session.sessionId, session.title.value);
    if (gone.length > 0) setAnswered((before) => [...gone, ...before].slice(0, MOST_ANSWERED));
  }, [waiting, seen]);
  const toggleNotifications = async () => {
    const wanted = !notifications && (await askForNotifications());
    settings.update({ notifications: wanted });
  };
  return (
    <Dialog label="Needs input" className="tray" onClose={onClose}>
      <div className="tray-h">
        <h2>Needs input</h2>
        {count > 0 && <span className="n num">{count}</span>}
        <span className="grow" />
        <button
          type="button"
          className="ib"
          aria-pressed={notifications}
          aria-label={notifications ? 'Turn notifications off' : 'Turn notifications on'}
          title={notifications ? 'Turn notifications off' : 'Turn notifications on'}
          onClick={() => void toggleNotifications()}
        >
          {notifications ? <Bell size={16} aria-hidden /> : <BellOff size={16} aria-hidden />}
        </button>
        <button type="button" className="ib" aria-label="Close" onClick={onClose}>
          <X size={16} aria-hidden />
        </button>
      </div>
      <div className="tray-b" tabIndex={0} role="region" aria-label="Open questions">
        {lost && (
          <p className="blank padded" role="status">
            {lost}
          </p>
        )}
        {waiting.length === 0 && <p className="blank padded">Nothing needs you.</p>}
        {waiting.map((one) => (
          <Waiting key={one.chat.resource} waiting={one} onLost={setLost} onClose={onClose} />
        ))}
        {count > waiting.length && (
          <p className="blank padded">{count - waiting.length} more. They come up as these are answered.</p>
        )}
        {answered.map(({ id, title }) => (
          <section className="need past" key={id}>
            <h3>{title || 'A session'} was answered</h3>
            <button type="button" className="btn quiet sm" onClick={() => open(id)}>
              Show it
              <ArrowRight size={13} aria-hidden />
            </button>
          </section>
        ))}
      </div>
    </Dialog>
  );

  function open(sessionId: string): void {
    onClose();
    if (management.getSessionById(sessionId)) goTo({ view: 'session', sessionId });
  }
}

interface WaitingProps {
  readonly waiting: WaitingChat;
  readonly onLost: (message: string) => void;
  readonly onClose: () => void;
}

function Waiting({ waiting, onLost, onClose }: WaitingProps) {
  const { hosts } = useServices();
  const { session, chat, model } = waiting;
  const host = hosts.byId(session.providerId);
  const title = useObservable(session.title);
  const workspace = useObservable(session.workspace);
  if (!host) return null;
  return (
    <section className="need on">
      <div className="from">
        <AgentIcon icon={session.icon} />
        <b className="clip">{title || 'New session'}</b>
        <span>
          {workspace?.label ? `${workspace.label}, ` : ''}
          {host.name}
        </span>
      </div>
      <OpenPrompts session={session} host={host} model={model} onLost={onLost} />
      <div className="acts">
        <button
          type="button"
          className="btn quiet sm"
          onClick={() => {
            onClose();
            goTo({ view: 'session', sessionId: session.sessionId, chat: chat.resource });
          }}
        >
          Answer in the conversation
          <ArrowRight size={13} aria-hidden />
        </button>
      </div>
    </section>
  );
}

function OpenPrompts({
  model,
  session,
  host,
  onLost,
}: {
  readonly model: ChatModel;
  readonly session: Session;
  readonly host: PageHost;
  readonly onLost: (message: string) => void;
}) {
  const confirmations = useObservable(model.confirmations);
  const permissions = useObservable(model.permissions);
  const staleSince = useObservable(host.provider.status.staleSince);
  const folder = useObservable(model.state)?.summary.workingDirectory;
  const role = useObservable(host.role);
  const me = useObservable(ownIds);
  const answers = useAnswers(model, onLost);
  const context = useMemo(
    (): ChatContext => ({
      me,
      agentName: agentName(host, session.sessionType),
      hostName: host.name,
      role,
      folder,
      staleSince,
      ...answers,
      fetchContent: (uri, range) => model.fetchContent(uri, range ? { range } : {}),
      fork: () => undefined,
      retry: () => undefined,
    }),
    [model, host, role, session, folder, staleSince, answers, me],
  );
  return (
    <ChatProvider value={context}>
      {confirmations.map((one) => (
        <Confirmation key={one.toolCall.toolCallId} turnId={one.turnId} call={one.toolCall} plain />
      ))}
      {permissions.map((one) => (
        <Question key={one.request.requestId} turnId={one.turnId} request={one.request} plain />
      ))}
    </ChatProvider>
  );
}
