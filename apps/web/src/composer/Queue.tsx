import type { PendingMessage } from '@agenthost/protocol';
import { GripVertical, Pencil, X } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { authorName } from '../conversation/authorName.js';
import { useChat } from '../conversation/chatContext.js';
import { InlineText } from '../conversation/InlineText.js';

/** Why waiting messages are not sent; nothing while a turn runs. */
export type QueueHold = 'stopped' | 'failed' | undefined;

interface QueueProps {
  readonly held: QueueHold;
  /** Sends the first message; missing if the role doesn't allow it. */
  readonly onResume: (() => void) | undefined;
  readonly messages: readonly PendingMessage[];
  readonly steering: PendingMessage | undefined;
  /** Each is missing if this page's role doesn't allow it. */
  readonly onReorder: ((order: readonly string[]) => void) | undefined;
  readonly onEdit: ((message: PendingMessage) => void) | undefined;
  readonly onRemove: ((id: string) => void) | undefined;
}

const HOLD_WORDS = {
  running: 'sent one by one when this turn ends',
  stopped: 'held, because the turn was stopped',
  failed: 'held, because the turn failed',
};

/** Queued messages in order. By pointer: drag the grip. By keyboard: Space lifts, arrows move, Space puts down. */
export function Queue({ messages, steering, held, onResume, onReorder, onEdit, onRemove }: QueueProps) {
  const { me } = useChat();
  const [lifted, setLifted] = useState<string>();
  const [dragged, setDragged] = useState<string>();
  const list = useRef<HTMLOListElement>(null);
  const ids = messages.map((message) => message.id);

  const move = (id: string, to: number) => {
    const from = ids.indexOf(id);
    const place = Math.max(0, Math.min(ids.length - 1, to));
    if (from === -1 || from === place) return;
    const order = ids.toSpliced(from, 1).toSpliced(place, 0, id);
    onReorder?.(order);
  };
  useDragging(list, dragged, move, () => setDragged(undefined));
  const order = ids.join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change of the order
  useEffect(() => {
    if (lifted) list.current?.querySelector<HTMLElement>(`[data-grip="${CSS.escape(lifted)}"]`)?.focus();
  }, [order, lifted]);
  if (messages.length === 0 && !steering) return null;
  const keyDown = (event: KeyboardEvent, message: PendingMessage, index: number) => {
    if (event.key === ' ') setLifted(lifted === message.id ? undefined : message.id);
    else if (event.key === 'ArrowUp' && lifted === message.id) move(message.id, index - 1);
    else if (event.key === 'ArrowDown' && lifted === message.id) move(message.id, index + 1);
    else if (event.key === 'Escape' && lifted) setLifted(undefined);
    else if (event.key === 'Enter') onEdit?.(message);
    else if (event.key === 'Delete' || event.key === 'Backspace') onRemove?.(message.id);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <section className="queue" aria-label="Queue">
      {steering && (
        <div className="queue-h">
          Steering <span className="clip">{steering.userMessage.text}</span>
          <span className="grow" />
          {onRemove && (
            <button
              type="button"
              className="ib sm"
              aria-label="Remove the steering message"
              onClick={() => onRemove(steering.id)}
            >
              <X size={13} aria-hidden />
            </button>
          )}
        </div>
      )}
      {messages.length > 0 && (
        <div className="queue-h">
          <b>{messages.length} queued</b> <span className="clip">{HOLD_WORDS[held ?? 'running']}</span>
          <span className="grow" />
          {held && onResume && (
            <button type="button" className="btn plain sm" onClick={onResume}>
              Send now
            </button>
          )}
        </div>
      )}
      <ol ref={list}>
        {messages.map((message, index) => {
          const { name } = authorName(message.by, me);
          const label = `message ${index + 1}`;
          return (
            <li
              key={message.id}
              className={lifted === message.id || dragged === message.id ? 'q is-hover lifted' : 'q'}
            >
              {onReorder && (
                <button
                  type="button"
                  className="grip"
                  aria-label={`Reorder ${label}: Space lifts it, arrows move it`}
                  aria-pressed={lifted === message.id}
                  onKeyDown={(event) => keyDown(event, message, index)}
                  data-grip={message.id}
                  onPointerDown={() => setDragged(message.id)}
                  onBlur={(event) => {
                    // A grip that is moved in the document loses the focus too, but no element gets it.
                    if (event.relatedTarget) setLifted(undefined);
                  }}
                >
                  <GripVertical size={14} aria-hidden />
                </button>
              )}
              <span className="clip grow">
                {message.by && !me.has(message.by.clientId) && <span className="by">{name}: </span>}
                <InlineText text={message.userMessage.text || (message.userMessage.attachments?.[0]?.label ?? '')} />
              </span>
              {onEdit && (
                <button type="button" className="ib sm" aria-label={`Edit ${label}`} onClick={() => onEdit(message)}>
                  <Pencil size={13} aria-hidden />
                </button>
              )}
              {onRemove && (
                <button
                  type="button"
                  className="ib sm"
                  aria-label={`Remove ${label}`}
                  onClick={() => onRemove(message.id)}
                >
                  <X size={13} aria-hidden />
                </button>
              )}
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

/** On the window: the row moves under the pointer, and a moving element loses the pointer. */
function useDragging(
  list: RefObject<HTMLOListElement | null>,
  dragged: string | undefined,
  move: (id: string, to: number) => void,
  onEnd: () => void,
): void {
  const current = useRef({ move, onEnd });
  current.current = { move, onEnd };
  useEffect(() => {
    if (dragged === undefined) return;
    const moved = (event: PointerEvent) => {
      const rows = [...(list.current?.children ?? [])];
      const over = rows.findIndex((row) => {
        const { top, bottom } = row.getBoundingClientRect();
        return event.clientY >= top && event.clientY < bottom;
      });
      if (over !== -1) current.current.move(dragged, over);
    };
    const ended = () => current.current.onEnd();
    window.addEventListener('pointermove', moved);
    window.addEventListener('pointerup', ended);
    window.addEventListener('pointercancel', ended);
    return () => {
      window.removeEventListener('pointermove', moved);
      window.removeEventListener('pointerup', ended);
      window.removeEventListener('pointercancel', ended);
    };
  }, [dragged, list]);
}
