import type { Attachment, Author, UserMessage as Message } from '@agenthost/protocol';
import { Clock, File, Folder, ImageIcon, TextQuote } from 'lucide-react';
import { memo } from 'react';
import { authorName, initials } from './authorName.js';
import { useChat } from './chatContext.js';
import { clock } from './times.js';

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
  const other = by !== undefined && by.clientId !== me;
  return (
    <article className={kept ? 'msg kept' : 'msg'} aria-label={`Message from ${name}`}>
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
        <span className="att" key={index}>
          <AttachmentIcon kind={attachment.kind} />
          <span className="clip">{attachment.label}</span>
        </span>
      ))}
      {message.text !== '' && <div className="bubble">{message.text}</div>}
      {kept && (
        <div className="who">
          <Clock size={13} aria-hidden />
          Kept on this device. It is sent once, when {hostName} is back.
        </div>
      )}
    </article>
  );
});

export function AttachmentIcon({ kind }: { readonly kind: Attachment['kind'] }) {
  if (kind === 'directory') return <Folder size={13} aria-hidden />;
  if (kind === 'image') return <ImageIcon size={13} aria-hidden />;
  if (kind === 'selection' || kind === 'text') return <TextQuote size={13} aria-hidden />;
  return <File size={13} aria-hidden />;
}
