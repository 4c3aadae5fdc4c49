import type { PendingMessage } from '@agenthost/protocol';
import { GripVertical, Pencil, X } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { authorName } from '../conversation/authorName.js';
import { useChat } from '../conversation/chatContext.js';
import { InlineText } from '../conversation/InlineText.js';

interface QueueProps {
  readonly messages: readonly PendingMessage[];
  readonly steering: PendingMessage | undefined;
  readonly onReorder: (order: readonly string[]) => void;
  readonly onEdit: (message: PendingMessage) => void;
  readonly onRemove: (id: string) => void;
}

/** What waits for the turn's end, in order. By pointer: drag the grip. By keyboard: Space lifts, arrows move, Space puts down. */
export function Queue({ messages, steering, onReorder, onEdit, onRemove }: QueueProps) {
  const { me } = useChat();
  const [lifted, setLifted] = useState<string>();
  const list = useRef<HTMLOListElement>(null);
  if (messages.length === 0 && !steering) return null;
  const ids = messages.map((message) => message.id);

  const move = (id: string, to: number) => {
    const from = ids.indexOf(id);
    const place = Math.max(0, Math.min(ids.length - 1, to));
    if (from === -1 || from === place) return;
    const order = ids.toSpliced(from, 1).toSpliced(place, 0, id);
    onReorder(order);
  };
  const keyDown = (event: KeyboardEvent, message: PendingMessage, index: number) => {
    if (event.key === ' ') setLifted(lifted === message.id ? undefined : message.id);
    else if (event.key === 'ArrowUp' && lifted === message.id) move(message.id, index - 1);
    else if (event.key === 'ArrowDown' && lifted === message.id) move(message.id, index + 1);
    else if (event.key === 'Escape' && lifted) setLifted(undefined);
    else if (event.key === 'Enter') onEdit(message);
    else if (event.key === 'Delete' || event.key === 'Backspace') onRemove(message.id);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const drag = (event: PointerEvent<HTMLButtonElement>, id: string) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    setLifted(id);
  };
  const dragged = (event: PointerEvent<HTMLButtonElement>, id: string) => {
    if (lifted !== id || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const rows = [...(list.current?.children ?? [])];
    const over = rows.findIndex((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return event.clientY >= top && event.clientY < bottom;
    });
    if (over !== -1) move(id, over);
  };
  return (
    <section className="queue" aria-label="Queue">
      {steering && (
        <div className="queue-h">
          Steering <span className="clip">{steering.userMessage.text}</span>
          <span className="grow" />
          <button
            type="button"
            className="ib sm"
            aria-label="Take the steering message back"
            onClick={() => onRemove(steering.id)}
          >
            <X size={13} aria-hidden />
          </button>
        </div>
      )}
      {messages.length > 0 && (
        <div className="queue-h">
          {messages.length} queued <span>sent one by one when this turn ends</span>
        </div>
      )}
      <ol ref={list}>
        {messages.map((message, index) => {
          const { name } = authorName(message.by, me);
          const label = `message ${index + 1}`;
          return (
            <li key={message.id} className={lifted === message.id ? 'q is-hover lifted' : 'q'}>
              <button
                type="button"
                className="grip"
                aria-label={`Reorder ${label}: Space lifts it, arrows move it`}
                aria-pressed={lifted === message.id}
                onKeyDown={(event) => keyDown(event, message, index)}
                onPointerDown={(event) => drag(event, message.id)}
                onPointerMove={(event) => dragged(event, message.id)}
                onPointerUp={() => setLifted(undefined)}
                onBlur={() => setLifted(undefined)}
              >
                <GripVertical size={14} aria-hidden />
              </button>
              <span className="clip grow">
                {message.by && message.by.clientId !== me && <span className="by">{name}: </span>}
                <InlineText text={message.userMessage.text || (message.userMessage.attachments?.[0]?.label ?? '')} />
              </span>
              <button type="button" className="ib sm" aria-label={`Edit ${label}`} onClick={() => onEdit(message)}>
                <Pencil size={13} aria-hidden />
              </button>
              <button
                type="button"
                className="ib sm"
                aria-label={`Remove ${label}`}
                onClick={() => onRemove(message.id)}
              >
                <X size={13} aria-hidden />
              </button>
            </li>
          );
        })}
      </ol>
      <span className="sr" role="status">
        {lifted && `Lifted, place ${ids.indexOf(lifted) + 1} of ${ids.length}`}
      </span>
    </section>
  );
}
