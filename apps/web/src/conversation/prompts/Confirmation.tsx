import type { ConfirmationOption, PendingToolCall } from '@agenthost/protocol';
import { Pencil } from 'lucide-react';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { permissionError } from '../../app/permissionError.js';
import { problemText } from '../../app/problemText.js';
import { useNow } from '../../app/useNow.js';
import { RoleNote } from '../../composer/RoleNote.js';
import { Problem } from '../../controls/Problem.js';
import { inputDiffs } from '../../diff/inputDiffs.js';
import { StatusGlyph } from '../../glyphs/StatusGlyph.js';
import { visibleCommand } from '../../text/visibleText.js';
import { useChat } from '../chatContext.js';
import { InlineText } from '../InlineText.js';
import { shortPath } from '../relativePath.js';
import { roughly } from '../times.js';
import { CommandField } from './CommandField.js';
import { commandLanguage } from './CommandText.js';
import { DenyReason } from './DenyReason.js';
import { EditDiffs } from './EditDiffs.js';
import { FoldButton } from './FoldButton.js';
import { MoreWaiting } from './MoreWaiting.js';
import { useKeptFocus } from './useKeptFocus.js';
import { useWholeInput } from './useWholeInput.js';

const CONFIRM = 'session/toolCallConfirmed';
const DEFAULT_OPTIONS: readonly ConfirmationOption[] = [
  { id: '', label: 'Allow once', kind: 'approve' },
  { id: '', label: 'Deny', kind: 'deny' },
];

interface ConfirmationProps {
  readonly turnId: string;
  readonly call: PendingToolCall;
  /** In the tray it stands under its session's name, without a frame. */
  readonly plain?: boolean;
}

/** A tool call that waits for an answer. Its keys work only while it has the focus, so that nothing is allowed by accident. */
export function Confirmation({ turnId, call, plain = false }: ConfirmationProps) {
  const chat = useChat();
  const now = useNow(true);
  const command = useRef<HTMLTextAreaElement>(null);
  const section = useKeptFocus();
  const [folded, setFolded] = useState(false);
  const [isGivingReason, setGivingReason] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { confirmation } = call;
  const { text: toolInput, isWhole, problem: unread } = useWholeInput(call);
  const editable =
    confirmation.editable === true && permissionError(chat.role, { type: CONFIRM, editedToolInput: '' }) === undefined;
  // An unchanged input is sent as it came; a field can only show it with visible characters.
  const input = useMemo(() => (toolInput === undefined ? undefined : visibleCommand(toolInput)), [toolInput]);
  const diffs = useMemo(
    () =>
      call.language === 'diff' && !editable && isWhole && toolInput !== undefined ? inputDiffs(toolInput) : undefined,
    [call.language, editable, isWhole, toolInput],
  );
  const options = confirmation.options?.length ? confirmation.options : DEFAULT_OPTIONS;
  const approvals = options.filter((option) => option.kind === 'approve');
  const denials = options.filter((option) => option.kind === 'deny');
  // "Y" is a plain yes: it never selects an option that also counts for later calls.
  const once = approvals[0]?.explicit ? undefined : approvals[0];
  const lasting = approvals.find((option) => option !== once);

  const choose = async (option: ConfirmationOption | undefined, reason = '') => {
    if (!option || busy || permissionError(chat.role, CONFIRM) !== undefined) return;
    // A command must not be allowed before all of it was shown.
    if (option.kind === 'approve' && !isWhole) return;
    // A disabled button would drop the focus.
    if (section.current?.contains(document.activeElement)) section.current.focus({ preventScroll: true });
    setBusy(true);
    const optionId = option.id === '' ? {} : { optionId: option.id };
    const written = editable ? command.current?.value : undefined;
    const edited = written !== undefined && written !== input ? { editedToolInput: written } : {};
    try {
      if (option.kind === 'deny')
        await chat.deny(turnId, call.toolCallId, { ...optionId, ...(reason !== '' && { reason }) });
      else await chat.approve(turnId, call.toolCallId, { ...optionId, ...edited });
    } catch (error) {
      setProblem(problemText(error));
      setBusy(false);
    }
  };
  const edit = () => {
    const { current } = command;
    current?.focus();
    current?.setSelectionRange(current.value.length, current.value.length);
  };
  const keyDown = (event: KeyboardEvent) => {
    const typing = event.target instanceof HTMLTextAreaElement;
    if (typing && event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      void choose(once);
    }
    if (event.target instanceof HTMLInputElement || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.toLowerCase() === 'b' && denials[0]) {
      event.preventDefault();
      event.stopPropagation();
      setGivingReason(true);
      return;
    }
    const wanted = { y: once, s: lasting, x: denials[0] }[event.key.toLowerCase()];
    if (!wanted) return;
    event.preventDefault();
    event.stopPropagation();
    void choose(wanted);
  };
  const keyOf = (option: ConfirmationOption) => (option === once ? 'Y' : option === lasting ? 'S' : undefined);
  return (
    <section
      ref={section}
      className={plain ? 'ask plain' : folded ? 'ask folded' : 'ask'}
      aria-label={`Needs your answer: ${confirmation.title ?? call.invocationMessage}`}
      tabIndex={-1}
      data-prompt={call.toolCallId}
      onKeyDown={keyDown}
    >
      {!plain && (
        <div className="ask-h">
          <StatusGlyph status="needsInput" />
          <h2 className="grow">
            <InlineText text={confirmation.title ?? call.invocationMessage} />
          </h2>
          <span className="meta num">waiting {roughly(now - call.startedAt)}</span>
          <FoldButton folded={folded} onFold={setFolded} />
        </div>
      )}
      <div className="ask-b">
        {plain && (
          <h3>
            <InlineText text={confirmation.title ?? call.invocationMessage} />
          </h3>
        )}
        {call.clientName !== undefined && <p className="aux">It is a tool of {call.clientName}.</p>}
        {diffs && <EditDiffs diffs={diffs} />}
        {toolInput !== undefined && !diffs && (
          <div className="cmd">
            <span className="prompt" aria-hidden="true">
              {call.toolKind === 'terminal' ? '$' : '›'}
            </span>
            <CommandField
              key={isWhole ? 'whole' : 'cut'}
              field={command}
              initial={input ?? ''}
              language={commandLanguage(call)}
              readOnly={!editable}
              label={editable ? 'Command, editable' : 'What it would do'}
            />
            {editable && (
              <button type="button" className="ib sm" aria-label="Edit the command" onClick={edit}>
                <Pencil size={14} aria-hidden />
              </button>
            )}
          </div>
        )}
        {chat.folder !== undefined && toolInput !== undefined && (
          <p className="why">
            In <code>{shortPath(chat.folder, chat.home)}</code>.
            {editable && !plain && ' You can change the command before you allow it.'}
          </p>
        )}
        {!isWhole && unread === undefined && <p className="why">Loading all of it.</p>}
        <Problem text={problem ?? unread} />
        <RoleNote role={chat.role} operation={CONFIRM}>
          <div className="acts">
            {approvals.map((option) => (
              <button
                key={option.label}
                type="button"
                className={option === once ? 'btn primary' : 'btn plain'}
                disabled={busy || !isWhole}
                onClick={() => void choose(option)}
              >
                {option.label} {keyOf(option) && <kbd aria-hidden="true">{keyOf(option)}</kbd>}
              </button>
            ))}
            <span className="grow" />
            {denials.map((option, index) => (
              <button
                key={option.label}
                type="button"
                className="btn quiet"
                disabled={busy}
                onClick={() => void choose(option)}
              >
                {option.label} {index === 0 && <kbd aria-hidden="true">X</kbd>}
              </button>
            ))}
            {denials[0] && (
              <button
                type="button"
                className="btn quiet"
                aria-expanded={isGivingReason}
                disabled={busy}
                onClick={() => setGivingReason(!isGivingReason)}
              >
                No, because… <kbd aria-hidden="true">B</kbd>
              </button>
            )}
          </div>
          {isGivingReason && (
            <DenyReason
              busy={busy}
              onDeny={(reason) => void choose(denials[0], reason)}
              onClose={() => {
                setGivingReason(false);
                section.current?.focus();
              }}
            />
          )}
          {lasting && (
            <p className="why">
              “{lasting.label}” also counts for{' '}
              {lasting.covers === undefined ? (
                `later requests like this one, as ${chat.agentName} understands it`
              ) : (
                <InlineText text={lowerFirst(lasting.covers)} />
              )}
              .
            </p>
          )}
        </RoleNote>
        {!plain && <MoreWaiting />}
      </div>
    </section>
  );
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
