import type { PermissionAnswer } from '@agenthost/client';
import type { Form, PermissionRequest } from '@agenthost/protocol';
import { answerTextLimit } from '@agenthost/protocol/internal';
import { CornerDownLeft } from 'lucide-react';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { permissionError } from '../../../app/permissionError.js';
import { useNow } from '../../../app/useNow.js';
import { RoleNote } from '../../../composer/RoleNote.js';
import { Problem } from '../../../controls/Problem.js';
import { StatusGlyph } from '../../../glyphs/StatusGlyph.js';
import { Markdown } from '../../../markdown/Markdown.js';
import { useChat } from '../../chatContext.js';
import { InlineText } from '../../InlineText.js';
import { roughly } from '../../times.js';
import { FoldButton } from '../FoldButton.js';
import { isTyping } from '../isTyping.js';
import { MoreWaiting } from '../MoreWaiting.js';
import { useKeptFocus } from '../useKeptFocus.js';
import { FieldView } from './FieldView.js';
import { useForm } from './useForm.js';

const ANSWER = 'session/permissionResolved';
const SKIP: PermissionAnswer = { approved: true };
const DECLINE: PermissionAnswer = { approved: false };

interface FormQuestionProps {
  readonly turnId: string;
  readonly request: PermissionRequest;
  readonly form: Form;
  readonly plain: boolean;
}

/** Several questions with one answer. Its keys work only while it has the focus. */
export function FormQuestion({ turnId, request, form, plain }: FormQuestionProps) {
  const chat = useChat();
  const now = useNow(request.askedAt !== undefined);
  const section = useKeptFocus();
  const [folded, setFolded] = useState(false);
  const [wrong, setWrong] = useState<{ readonly field: string }>();
  const state = useForm(request, form, (answer) => chat.answer(turnId, request.requestId, answer));
  const refusal = permissionError(chat.role, { type: ANSWER, requestId: request.requestId, ...state.answered() });
  const { busy, isComplete, problem } = state;

  useEffect(() => {
    if (!wrong) return;
    const field = [...(section.current?.querySelectorAll<HTMLElement>('[data-field]') ?? [])];
    const found = field.find((one) => one.dataset['field'] === wrong.field);
    (found?.querySelector<HTMLElement>('input:checked') ?? found?.querySelector<HTMLElement>('input'))?.focus();
  }, [wrong, section]);

  const finish = async (sending: Promise<string | undefined>) => {
    // A disabled control would drop the focus.
    if (section.current?.contains(document.activeElement)) section.current.focus({ preventScroll: true });
    const field = await sending;
    if (field !== undefined) setWrong({ field });
  };
  const answer = () => {
    if (!busy && isComplete && refusal === undefined) void finish(state.answer());
  };
  const send = (given: PermissionAnswer) => {
    if (!busy && permissionError(chat.role, ANSWER) === undefined) void finish(state.send(given));
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      answer();
      return;
    }
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.toLowerCase() === 'x') {
      event.preventDefault();
      event.stopPropagation();
      send(SKIP);
      return;
    }
    const choice = choiceAt(section.current, event.target, event.key);
    if (!choice) return;
    event.preventDefault();
    event.stopPropagation();
    choice.focus();
    choice.click();
  };
  const title = <InlineText text={request.title} />;
  return (
    <section
      ref={section}
      className={plain ? 'ask plain' : folded ? 'ask folded' : 'ask'}
      aria-label={`Needs your answer: ${request.title}`}
      tabIndex={-1}
      data-prompt={request.requestId}
      onKeyDown={keyDown}
    >
      {!plain && (
        <div className="ask-h">
          <StatusGlyph status="needsInput" />
          <h2 className="grow">{title}</h2>
          {request.askedAt !== undefined && <span className="meta num">waiting {roughly(now - request.askedAt)}</span>}
          <FoldButton folded={folded} onFold={setFolded} />
        </div>
      )}
      <div className="ask-b">
        {plain && <h3>{title}</h3>}
        {request.message && <Markdown text={request.message} />}
        <RoleNote role={chat.role} operation={ANSWER}>
          <div className="form">
            {form.fields.map((field) => (
              <FieldView
                key={field.id}
                field={field}
                value={state.values[field.id]}
                problem={problem?.field === field.id ? problem.problem : undefined}
                disabled={busy}
                maxLength={answerTextLimit(chat.role)}
                onChange={(value) => state.set(field, value)}
              />
            ))}
          </div>
          <Problem text={problem && problem.field === undefined ? problem.problem : undefined} />
          {refusal !== undefined && <p className="why">{refusal}</p>}
          <div className="acts form-acts">
            <button
              type="button"
              className="btn primary"
              disabled={busy || !isComplete || refusal !== undefined}
              onClick={answer}
            >
              Answer{' '}
              <kbd aria-hidden="true">
                Ctrl <CornerDownLeft size={11} />
              </kbd>
            </button>
            <button type="button" className="btn quiet" disabled={busy} onClick={() => send(SKIP)}>
              Skip <kbd aria-hidden="true">X</kbd>
            </button>
            <button type="button" className="btn quiet" disabled={busy} onClick={() => send(DECLINE)}>
              Decline
            </button>
            <span className="grow" />
            <span className="why">{chat.agentName} goes on as soon as you answer. Skip says: you decide.</span>
          </div>
        </RoleNote>
        {!plain && <MoreWaiting />}
      </div>
    </section>
  );
}

/** The choice with that number in the field that has the focus, or else in the first one that has choices. */
function choiceAt(section: HTMLElement | null, target: EventTarget, key: string): HTMLInputElement | undefined {
  if (!/^[1-9]$/.test(key) || !section) return undefined;
  const focused = target instanceof HTMLElement ? target.closest('[data-field]') : null;
  const fields = focused ? [focused] : [...section.querySelectorAll('[data-field]')];
  const field = fields.find((one) => one.querySelector('[data-choice]'));
  return field?.querySelector<HTMLInputElement>(`[data-choice="${key}"]`) ?? undefined;
}
