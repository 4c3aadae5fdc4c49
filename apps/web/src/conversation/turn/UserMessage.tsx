import type { Author, UserMessage as Message } from '@agenthost/protocol';
import { Clock } from 'lucide-react';
import { memo, useState } from 'react';
import { problemText } from '../../app/problemText.js';
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
  const { me, hostName } = useChat();
  const { name, device } = authorName(by, me);
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
      {message.text !== '' && <MessageText message={message} />}
      {kept && (
        <div className="who">
          <Clock size={13} aria-hidden />
          Kept on this device. It is sent once, when {hostName} is back.
        </div>
      )}
    </article>
  );
});

/** A text that is too long for the state: its ends, and the whole text on demand. */
function MessageText({ message: { text, textRef } }: { readonly message: Message }) {
  const { fetchContent } = useChat();
  const [whole, setWhole] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const load = () => {
    if (!textRef) return;
    fetchContent(textRef.uri).then(
      (content) => setWhole(content.text()),
      (error: unknown) => setProblem(problemText(error)),
    );
  };
  return (
    <div className="bubble">
      {whole ?? text}
      {problem && <p className="why bad">{problem}</p>}
      {textRef && whole === undefined && (
        <button type="button" className="btn quiet sm" onClick={load}>
          Show all{textRef.sizeHint !== undefined && `, ${bytes(textRef.sizeHint)}`}
        </button>
      )}
    </div>
  );
}
