import type { PermissionOption, PermissionRequest } from '@agenthost/protocol';
import { type FormEvent, useState } from 'react';
import { problemText } from '../app/problemText.js';
import { RoleNote } from '../composer/RoleNote.js';
import { StatusGlyph } from '../glyphs/StatusGlyph.js';
import { Markdown } from '../markdown/Markdown.js';
import { useChat } from './chatContext.js';
import { FoldButton } from './FoldButton.js';

interface QuestionProps {
  readonly turnId: string;
  readonly request: PermissionRequest;
  readonly plain?: boolean;
}

/** A permission or a question of the agent: choose, or answer in words where that is allowed. */
export function Question({ turnId, request, plain = false }: QuestionProps) {
  const chat = useChat();
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

  const send = async (approved: boolean, extra: { optionId?: string; text?: string }) => {
    if (busy) return;
    setBusy(true);
    try {
      await chat.answer(turnId, request.requestId, { approved, ...extra });
    } catch (error) {
      setProblem(problemText(error));
      setBusy(false);
    }
  };
  const choose = (option: PermissionOption) =>
    send(option.kind !== 'deny', option.id === '' ? {} : { optionId: option.id });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') void send(true, { text: text.trim() });
  };
  return (
    <section
      className={plain ? 'ask plain' : folded ? 'ask folded' : 'ask'}
      aria-label={`Needs your answer: ${request.title}`}
      tabIndex={-1}
      data-prompt={request.requestId}
    >
      {!plain && (
        <div className="ask-h">
          <StatusGlyph status="needsInput" />
          <h2 className="grow">{request.title}</h2>
          <FoldButton folded={folded} onFold={setFolded} />
        </div>
      )}
      <div className="ask-b">
        {plain && <h3>{request.title}</h3>}
        {request.message && <Markdown text={request.message} />}
        {problem && (
          <p className="why bad" role="alert">
            {problem}
          </p>
        )}
        <RoleNote role={chat.role} needs="approver">
          <div className={request.kind === 'question' ? 'opts' : 'acts'}>
            {options.map((option, index) =>
              request.kind === 'question' ? (
                <button
                  key={option.id}
                  type="button"
                  className="opt"
                  disabled={busy}
                  onClick={() => void choose(option)}
                >
                  <span>
                    {option.label}
                    {option.description && <small>{option.description}</small>}
                  </span>
                </button>
              ) : (
                <button
                  key={option.label}
                  type="button"
                  className={option.kind === 'deny' ? 'btn quiet' : index === 0 ? 'btn primary' : 'btn plain'}
                  disabled={busy}
                  onClick={() => void choose(option)}
                >
                  {option.label}
                </button>
              ),
            )}
          </div>
          {request.allowText && (
            <form className="cmd" onSubmit={submit}>
              <textarea
                rows={1}
                value={text}
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
      </div>
    </section>
  );
}
