import { answerTextLimit } from '@agenthost/protocol/internal';
import { CornerDownLeft } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useChat } from '../chatContext.js';

interface DenyReasonProps {
  readonly busy: boolean;
  /** An empty text is a plain no. */
  readonly onDeny: (reason: string) => void;
  readonly onClose: () => void;
}

/** "No, because…": the agent is told why, so that it can do something else. */
export function DenyReason({ busy, onDeny, onClose }: DenyReasonProps) {
  const { role } = useChat();
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  // The user has asked for the field.
  useEffect(() => field.current?.focus(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!busy) onDeny(text.trim());
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  return (
    <form className="cmd" onSubmit={submit}>
      <input
        ref={field}
        value={text}
        maxLength={answerTextLimit(role)}
        placeholder="What should it do instead?"
        aria-label="Why not"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={keyDown}
      />
      <button type="submit" className="btn quiet sm" disabled={busy}>
        <kbd aria-hidden="true">
          <CornerDownLeft size={11} />
        </kbd>
        {text.trim() === '' ? 'Deny' : 'Deny and say why'}
      </button>
    </form>
  );
}
