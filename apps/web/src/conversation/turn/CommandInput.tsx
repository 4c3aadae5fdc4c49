import { type GivenInput, roleIncludes, type ToolCallState } from '@agenthost/protocol';
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react';
import { problemText } from '../../app/problemText.js';
import { useKept } from '../../controls/useKept.js';
import { authorName } from '../authorName.js';
import { useChat } from '../chatContext.js';

interface CommandInputProps {
  readonly call: ToolCallState & { readonly status: 'running' };
  /** What the command has printed so far. */
  readonly printed: string;
}

/** A program that asks like this shows nothing of what is typed, so neither does the field. */
const ASKS_FOR_SECRET = /(?:password|passphrase|passwort|passcode|secret|\bpin\b)[^\n]{0,80}[:?]\s*$/i;
const MAX_LINE = 4_000;

/** A line for the running command, Ctrl+D and Ctrl+C: as keys in the field, and as buttons for phones. */
export function CommandInput({ call, printed }: CommandInputProps) {
  const { role, staleSince, sendInput } = useChat();
  const [line, setLine] = useKept(`input ${call.toolCallId}`, '');
  const [problem, setProblem] = useState('');
  const problemId = useId();
  const isAway = staleSince !== undefined;
  if (!sendInput || !roleIncludes(role, 'driver')) return <LastInput call={call} />;

  const give = (kind: GivenInput['kind'], text = '') => {
    setProblem('');
    const given = kind === 'line' ? ({ kind, text } as const) : ({ kind } as const);
    sendInput(call.toolCallId, given).catch((error: unknown) => {
      setProblem(problemText(error));
      // A refused line comes back.
      if (kind === 'line') setLine(text);
    });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isAway) return;
    setLine('');
    give('line', line);
  };
  const keyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey, currentTarget } = event;
    if (!ctrlKey || metaKey || altKey || shiftKey || isAway) return;
    // With a selection Ctrl+C copies, as everywhere.
    const isSelected = currentTarget.selectionStart !== currentTarget.selectionEnd;
    if (key === 'c' && !isSelected) give('interrupt');
    else if (key === 'd' && line === '') give('endOfInput');
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <form className="term-in" onSubmit={submit} aria-label="Input for the command">
        <span className="prompt" aria-hidden="true">
          ›
        </span>
        <input
          type={ASKS_FOR_SECRET.test(printed.slice(-400)) ? 'password' : 'text'}
          value={line}
          maxLength={MAX_LINE}
          placeholder="Type a line for the command"
          aria-label="Line for the running command"
          aria-describedby={problem ? problemId : undefined}
          autoComplete="off"
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          disabled={isAway}
          onChange={(event) => setLine(event.target.value)}
          onKeyDown={keyDown}
        />
        <span className="term-keys">
          <button type="submit" className="btn plain sm" disabled={isAway}>
            Send
          </button>
          <button
            type="button"
            className="btn quiet sm"
            aria-label="Ctrl+D: end the input"
            title="End the input"
            disabled={isAway}
            onClick={() => give('endOfInput')}
          >
            Ctrl+D
          </button>
          <button
            type="button"
            className="btn quiet sm"
            aria-label="Ctrl+C: interrupt the command"
            title="Interrupt the command; the turn goes on"
            disabled={isAway}
            onClick={() => give('interrupt')}
          >
            Ctrl+C
          </button>
        </span>
      </form>
      <p className="term-note bad" role="alert" id={problemId} hidden={problem === ''}>
        {problem}
      </p>
      <LastInput call={call} />
    </>
  );
}

const DID: Readonly<Record<GivenInput['kind'], string>> = {
  line: 'Line typed by',
  endOfInput: 'Ctrl+D pressed by',
  interrupt: 'Interrupted by',
};

/** Who gave the newest input: what others typed is not known here, only what the program shows of it. */
export function LastInput({ call }: { readonly call: ToolCallState }) {
  const { me } = useChat();
  const given = call.status === 'pendingConfirmation' ? undefined : call.lastInput;
  if (!given) return null;
  const { name, device } = authorName(given.by, me);
  return (
    <p className="term-note">
      {DID[given.kind]} <b>{name}</b>
      {device}
      {given.count > 1 && ` · ${given.count} inputs`}
    </p>
  );
}
