import type { PermissionAnswer } from '@agenthost/client';
import type { PermissionOption, PermissionRequest } from '@agenthost/protocol';
import { answerTextLimit } from '@agenthost/protocol/internal';
import { type FormEvent, Fragment, type KeyboardEvent, useState } from 'react';
import { permissionError } from '../../app/permissionError.js';
import { problemText } from '../../app/problemText.js';
import { useNow } from '../../app/useNow.js';
import { RoleNote } from '../../composer/RoleNote.js';
import { Problem } from '../../controls/Problem.js';
import { StatusGlyph } from '../../glyphs/StatusGlyph.js';
import { Markdown } from '../../markdown/Markdown.js';
import { useChat } from '../chatContext.js';
import { InlineText } from '../InlineText.js';
import { roughly } from '../times.js';
import { FoldButton } from './FoldButton.js';
import { FormQuestion } from './form/FormQuestion.js';
import { MoreWaiting } from './MoreWaiting.js';
import { useKeptFocus } from './useKeptFocus.js';

const ANSWER = 'session/permissionResolved';
const APPROVE_KEYS = ['y', 's'];

interface QuestionProps {
  readonly turnId: string;
  readonly request: PermissionRequest;
  readonly plain?: boolean;
}

/** A permission or a question of the agent. */
export function Question({ plain = false, ...props }: QuestionProps) {
  const { form } = props.request;
  return form ? <FormQuestion {...props} form={form} plain={plain} /> : <PlainQuestion {...props} plain={plain} />;
}

/** One question with options, and a text where that is allowed. Its keys work while it has the focus. */
function PlainQuestion({ turnId, request, plain }: Required<QuestionProps>) {
  const chat = useChat();
  const now = useNow(request.askedAt !== undefined);
  const section = useKeptFocus();
  const [folded, setFolded] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [text, setText] = useState('');
  const options: readonly PermissionOption[] = request.options?.length
    ? request.options
    : request.kind === 'permission'
      ? [
          { id: '', label: 'Allow once', kind: 'approve' },
          { id: '', label: 'Deny', kind: 'deny' },
        ]
      : [];

  const refusalOf = (answer: PermissionAnswer) =>
    permissionError(chat.role, { type: ANSWER, requestId: request.requestId, ...answer });
  const send = async (answer: PermissionAnswer) => {
    if (busy || refusalOf(answer) !== undefined) return;
    // A disabled button would drop the focus.
    if (section.current?.contains(document.activeElement)) section.current.focus({ preventScroll: true });
    setBusy(true);
    try {
      await chat.answer(turnId, request.requestId, answer);
    } catch (error) {
      setProblem(problemText(error));
      setBusy(false);
    }
  };
  const answerWith = ({ id, kind }: PermissionOption): PermissionAnswer => ({
    approved: kind !== 'deny',
    ...(id !== '' && { optionId: id }),
  });
  const choose = (option: PermissionOption) => send(answerWith(option));
  /** A tooltip is not visible on a phone. */
  const refusal = options.map((option) => refusalOf(answerWith(option))).find((why) => why !== undefined);
  const approvals = options.filter(({ kind }) => kind !== 'deny');
  const keyOf = (option: PermissionOption): string | undefined => {
    if (request.kind === 'question')
      return options.indexOf(option) < 9 ? String(options.indexOf(option) + 1) : undefined;
    if (option.kind === 'deny') return 'x';
    // The first key is a plain yes: it never selects an option that also counts for later calls.
    return APPROVE_KEYS[approvals.indexOf(option) + (approvals[0]?.explicit ? 1 : 0)];
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLTextAreaElement || event.ctrlKey || event.metaKey || event.altKey) return;
    const wanted = options.find((option) => keyOf(option) === event.key.toLowerCase());
    if (!wanted) return;
    event.preventDefault();
    event.stopPropagation();
    void choose(wanted);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') void send({ approved: true, text: text.trim() });
  };
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
          <h2 className="grow">
            <InlineText text={request.title} />
          </h2>
          {request.askedAt !== undefined && <span className="meta num">waiting {roughly(now - request.askedAt)}</span>}
          <FoldButton folded={folded} onFold={setFolded} />
        </div>
      )}
      <div className="ask-b">
        {plain && (
          <h3>
            <InlineText text={request.title} />
          </h3>
        )}
        {request.message && <Markdown text={request.message} />}
        <Problem text={problem} />
        <RoleNote role={chat.role} operation={ANSWER}>
          <div className={request.kind === 'question' ? 'opts' : 'acts'}>
            {options.map((option, index) =>
              request.kind === 'question' ? (
                <button
                  key={option.id}
                  type="button"
                  className="opt"
                  disabled={busy || refusalOf(answerWith(option)) !== undefined}
                  title={refusalOf(answerWith(option))}
                  onClick={() => void choose(option)}
                >
                  <span>
                    {option.label}
                    {option.description && (
                      <small>
                        <InlineText text={option.description} />
                      </small>
                    )}
                  </span>
                  {keyOf(option) && <kbd aria-hidden="true">{keyOf(option)}</kbd>}
                </button>
              ) : (
                <Fragment key={option.label}>
                  {option.kind === 'deny' && <span className="grow" />}
                  <button
                    type="button"
                    className={option.kind === 'deny' ? 'btn quiet' : index === 0 ? 'btn primary' : 'btn plain'}
                    disabled={busy || refusalOf(answerWith(option)) !== undefined}
                    title={refusalOf(answerWith(option))}
                    onClick={() => void choose(option)}
                  >
                    {option.label} {keyOf(option) && <kbd aria-hidden="true">{keyOf(option)?.toUpperCase()}</kbd>}
                  </button>
                </Fragment>
              ),
            )}
          </div>
          {refusal !== undefined && <p className="why">{refusal}</p>}
          {request.allowText && (
            <form className="cmd" onSubmit={submit}>
              <textarea
                rows={1}
                value={text}
                maxLength={answerTextLimit(chat.role)}
                onChange={(event) => setText(event.target.value)}
                placeholder="Answer in your own words"
                aria-label="Answer in your own words"
              />
              <button type="submit" className="btn plain sm" disabled={busy || text.trim() === ''}>
                Answer
              </button>
            </form>
          )}
        </RoleNote>
        {!plain && <MoreWaiting />}
      </div>
    </section>
  );
}
