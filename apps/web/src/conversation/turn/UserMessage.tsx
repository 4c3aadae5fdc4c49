import type { Author, UserMessage as Message } from '@agenthost/protocol';
import { Clock, PencilLine } from 'lucide-react';
import { memo, useState } from 'react';
import { problemText } from '../../app/problemText.js';
import { CopyButton } from '../../controls/CopyButton.js';
import { useKept } from '../../controls/useKept.js';
import { authorName, initials } from '../authorName.js';
import { useChat } from '../chatContext.js';
import { bytes, clock } from '../times.js';
import { MessageAttachment } from './MessageAttachment.js';

interface UserMessageProps {
  readonly message: Message;
  readonly by?: Author | undefined;
  readonly at?: number | undefined;
  /** Not accepted by the host yet, because it can't be reached. */
  readonly kept?: boolean;
}

export const UserMessage = memo(function UserMessage({ message, by, at, kept = false }: UserMessageProps) {
  const { me, hostName, edit, fetchContent } = useChat();
  const { name, device } = authorName(by, me);
  const { text, textRef } = message;
  const wholeText = textRef ? async () => (await fetchContent(textRef.uri)).text() : text;
  const other = by !== undefined && !me.has(by.clientId);
  return (
    <article className={kept ? 'msg kept' : 'msg'} aria-label={`Message from ${name}`}>
      <h2 className="sr">Message from {name}</h2>
      {other && (
        <div className="who">
          <span className="ava small" aria-hidden="true">
            {initials(name)}
          </span>
          <b>{name}</b>
          {device && `from ${device.slice(', on '.length)}`}
          {at !== undefined && `, ${clock(at)}`}
        </div>
      )}
      {message.attachments?.map((attachment, index) => (
        <MessageAttachment key={index} attachment={attachment} />
      ))}
      {message.text !== '' && <MessageText message={message} keptAs={`message ${by?.clientId} ${at}`} />}
      {!kept && (
        <div className="msg-acts">
          <CopyButton text={wholeText} label="Copy message" />
          {edit && (
            <button
              type="button"
              className="ib sm"
              aria-label="Edit and send again"
              title="Edit and send again"
              onClick={() => edit(message)}
            >
              <PencilLine size={14} aria-hidden />
            </button>
          )}
        </div>
      )}
      {kept && (
        <div className="who">
          <Clock size={13} aria-hidden />
          Kept on this device. It is sent once, when {hostName} is back.
        </div>
      )}
    </article>
  );
});

/** A longer text is folded to its first lines: what was pasted is rarely read again. */
const FOLD_LINES = 16;
const FOLD_LENGTH = 2_000;
const SHOWN_LINES = 8;
const SHOWN_LENGTH = 1_000;

interface MessageTextProps {
  readonly message: Message;
  /** The name under which its fold is remembered. */
  readonly keptAs: string;
}

/** Folded when it is long. Of a text that is too long for the state there are its ends, and the whole text on demand. */
function MessageText({ message: { text, textRef }, keptAs }: MessageTextProps) {
  const { fetchContent } = useChat();
  const [open, setOpen] = useKept(keptAs, false);
  const [whole, setWhole] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const load = () => {
    setOpen(true);
    if (!textRef) return;
    fetchContent(textRef.uri).then(
      (content) => setWhole(content.text()),
      (error: unknown) => setProblem(problemText(error)),
    );
  };
  const lines = text.split('\n').length;
  const isLong = textRef !== undefined || lines > FOLD_LINES || text.length > FOLD_LENGTH;
  const isFolded = isLong && !open;
  const isCut = textRef !== undefined && whole === undefined;
  const size = textRef?.sizeHint === undefined ? `${lines.toLocaleString()} lines` : bytes(textRef.sizeHint);
  return (
    <div className="bubble">
      {isFolded ? `${firstLines(text)}…` : (whole ?? text)}
      {problem && <p className="why bad">{problem}</p>}
      {(isFolded || isCut) && (
        <button type="button" className="btn quiet sm" aria-expanded={false} onClick={load}>
          Show all, {size}
        </button>
      )}
      {isLong && !isFolded && !isCut && (
        <button type="button" className="btn quiet sm" aria-expanded onClick={() => setOpen(false)}>
          Fold
        </button>
      )}
    </div>
  );
}

function firstLines(text: string): string {
  return text.split('\n', SHOWN_LINES).join('\n').slice(0, SHOWN_LENGTH).toWellFormed();
}
