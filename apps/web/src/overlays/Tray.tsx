import type { AnsweredPrompt, ChatModel, Session, WaitingChat } from '@agenthost/sessions';
import { ArrowRight, Bell, BellOff } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { ownIds } from '../app/ownIds.js';
import type { PagePlace } from '../app/pagePlace.js';
import { goTo } from '../app/route.js';
import { useServices } from '../app/services.js';
import { useNow } from '../app/useNow.js';
import { useObservable } from '../app/useObservable.js';
import { CloseButton } from '../controls/CloseButton.js';
import { ChatProvider } from '../conversation/chatContext.js';
import { AnsweredLine } from '../conversation/prompts/AnsweredLine.js';
import { CommandText, commandLanguage } from '../conversation/prompts/CommandText.js';
import { Confirmation } from '../conversation/prompts/Confirmation.js';
import { isTyping } from '../conversation/prompts/isTyping.js';
import { Question } from '../conversation/prompts/Question.js';
import { roughly } from '../conversation/times.js';
import { useChatContext } from '../conversation/useChatContext.js';
import { AgentIcon } from '../glyphs/agentIcon.js';
import { Dialog } from './Dialog.js';

/** Every open question over all hosts, to be answered in place. */
export function Tray({ onClose }: { readonly onClose: () => void }) {
  const { settings, needsInput, push } = useServices();
  const { notifications } = useObservable(settings.value);
  const waiting = useObservable(needsInput.waiting);
  const count = useObservable(needsInput.count);
  const answered = useObservable(needsInput.answered);
  const [lost, setLost] = useState<string>();
  const body = useRef<HTMLDivElement>(null);
  const open = (sessionId: string, chat: string) => {
    onClose();
    goTo({ view: 'session', sessionId, chat });
  };
  useFirstFocus(body);
  // An answered question loses the focus with its element. The list gets it then, never the next question: one key too many
  // would answer that.
  // biome-ignore lint/correctness/useExhaustiveDependencies: looks after each answer
  useEffect(() => {
    if (document.activeElement === document.body) body.current?.focus();
  }, [waiting, answered]);
  const isOn = notifications !== 'off';
  const keyDown = (event: KeyboardEvent) => {
    const { target } = event;
    if (isTyping(target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { j: 1, k: -1 }[event.key.toLowerCase()];
    if (by !== undefined) moveFocus(body.current, by);
    else if (event.key === 'Enter' && target instanceof HTMLElement && target.dataset['prompt'] !== undefined)
      target.closest('.need')?.querySelector<HTMLElement>('.from')?.click();
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label="Needs input" className="tray" onClose={onClose} focusSelf>
      <div className="tray-h">
        <h2>Needs input</h2>
        {count > 0 && <span className="n num">{count}</span>}
        <span className="grow" />
        <button
          type="button"
          className="ib"
          aria-pressed={isOn}
          aria-label={isOn ? 'Turn notifications off' : 'Turn notifications on'}
          title={isOn ? 'Turn notifications off' : 'Turn notifications on'}
          onClick={() => void push.set(isOn ? 'off' : 'needsInput')}
        >
          {isOn ? <Bell size={16} aria-hidden /> : <BellOff size={16} aria-hidden />}
        </button>
        <CloseButton onClose={onClose} />
      </div>
      <div className="tray-b" ref={body} tabIndex={0} role="region" aria-label="Open questions" onKeyDown={keyDown}>
        {lost && (
          <p className="blank padded" role="status">
            {lost}
          </p>
        )}
        {waiting.length === 0 && <p className="blank padded">Nothing needs you.</p>}
        {waiting.map((one) => (
          <Waiting key={one.chat.resource} waiting={one} onLost={setLost} onOpen={open} />
        ))}
        {count > waiting.length && (
          <p className="blank padded">{count - waiting.length} more. They come up as these are answered.</p>
        )}
        {answered.map((one) => (
          <Answered key={`${one.chat.resource} ${one.id} ${one.answer.at}`} prompt={one} onOpen={open} />
        ))}
      </div>
      <div className="tray-f wide">
        <span>
          <kbd>J</kbd>
          <kbd>K</kbd> move
        </span>
        <span>
          <kbd>Y</kbd> allow
        </span>
        <span>
          <kbd>X</kbd> deny
        </span>
        <span>
          <kbd>↵</kbd> open session
        </span>
      </div>
    </Dialog>
  );
}

/** The first question gets the focus; later ones never take it. */
function useFirstFocus(body: RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const { current } = body;
    if (!current) return;
    const focus = () => {
      const first = current.querySelector<HTMLElement>('[data-prompt]');
      if (first && document.activeElement === current.closest('dialog')) first.focus();
      if (first) observer.disconnect();
    };
    const observer = new MutationObserver(focus);
    observer.observe(current, { childList: true, subtree: true });
    focus();
    return () => observer.disconnect();
  }, [body]);
}

function moveFocus(body: HTMLElement | null, by: number): void {
  const prompts = [...(body?.querySelectorAll<HTMLElement>('[data-prompt]') ?? [])];
  const at = prompts.findIndex((prompt) => prompt.contains(document.activeElement));
  const next = at < 0 ? 0 : Math.max(0, Math.min(prompts.length - 1, at + by));
  prompts[next]?.focus();
  prompts[next]?.scrollIntoView({ block: 'nearest' });
}

interface WaitingProps {
  readonly waiting: WaitingChat;
  readonly onLost: (message: string) => void;
  readonly onOpen: (sessionId: string, chat: string) => void;
}

function Waiting({ waiting, onLost, onOpen }: WaitingProps) {
  const { places } = useServices();
  const { session, chat, model } = waiting;
  const place = places.byId(session.providerId);
  const confirmations = useObservable(model.confirmations);
  const permissions = useObservable(model.permissions);
  const now = useNow(true);
  if (!place) return null;
  const asked = [
    ...confirmations.map(({ toolCall }) => toolCall.startedAt),
    ...permissions.flatMap(({ request }) => request.askedAt ?? []),
  ];
  const open = () => onOpen(session.sessionId, chat.resource);
  return (
    <section className="need">
      <From session={session} onOpen={open} aux={asked.length > 0 ? roughly(now - Math.min(...asked)) : undefined} />
      <OpenPrompts session={session} place={place} model={model} onLost={onLost} />
      {permissions.some(({ request }) => request.kind === 'question') && (
        <div className="acts">
          <button type="button" className="btn quiet sm" onClick={open}>
            Answer in the conversation
            <ArrowRight size={13} aria-hidden />
          </button>
        </div>
      )}
    </section>
  );
}

interface FromProps {
  readonly session: Session;
  readonly aux?: string | undefined;
  readonly onOpen: () => void;
}

/** The session that asks; opens it. */
function From({ session, aux, onOpen }: FromProps) {
  const { places } = useServices();
  const title = useObservable(session.title);
  const workspace = useObservable(session.workspace);
  return (
    <button type="button" className="from" onClick={onOpen} title="Open the session">
      <AgentIcon icon={session.icon} />
      <b className="clip">{title || 'New session'}</b>
      <span className="clip">
        {workspace?.label ? `${workspace.label}, ` : ''}
        {places.byId(session.providerId)?.name}
      </span>
      <span className="grow" />
      {aux !== undefined && <span className="num">{aux}</span>}
    </button>
  );
}

function Answered({
  prompt,
  onOpen,
}: {
  readonly prompt: AnsweredPrompt;
  readonly onOpen: (sessionId: string, chat: string) => void;
}) {
  const me = useObservable(ownIds);
  const { session, chat, kind, answer, title, input, toolKind, language } = prompt;
  return (
    <section className="need past">
      <From session={session} onOpen={() => onOpen(session.sessionId, chat.resource)} />
      <AnsweredLine kind={kind} answer={answer} me={me} {...(input === undefined && { title })} />
      {input !== undefined && (
        <CommandText
          text={input}
          language={commandLanguage({ ...(toolKind && { toolKind }), ...(language && { language }) })}
        />
      )}
    </section>
  );
}

function OpenPrompts({
  model,
  session,
  place,
  onLost,
}: {
  readonly model: ChatModel;
  readonly session: Session;
  readonly place: PagePlace;
  readonly onLost: (message: string) => void;
}) {
  const confirmations = useObservable(model.confirmations);
  const permissions = useObservable(model.permissions);
  const folder = useObservable(model.state)?.summary.workingDirectory;
  const context = useChatContext({ session, place, model, folder, onLost });
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
