import type { Session } from '@agenthost/sessions';
import { Archive, Mail, MailOpen, Pencil, SquareArrowOutUpRight, Trash2 } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { permissionError } from '../app/permissionError.js';
import { useServices } from '../app/services.js';
import { useObservable } from '../app/useObservable.js';
import { MenuPanel } from '../overlays/MenuPanel.js';

export interface RowMenuRequest {
  readonly session: Session;
  readonly row: HTMLElement;
  readonly at: { readonly left: number; readonly top: number };
}

interface RowMenuProps {
  readonly request: RowMenuRequest;
  readonly onOpen: (session: Session) => void;
  readonly onArchive: (sessions: readonly Session[]) => void;
  readonly onUnread: (session: Session) => void;
  readonly onRename: (session: Session) => void;
  readonly onDelete: (session: Session) => void;
  readonly onClosed: () => void;
}

/** The context menu of a session in the list. */
export function RowMenu({ request, onOpen, onArchive, onUnread, onRename, onDelete, onClosed }: RowMenuProps) {
  const { management, places } = useServices();
  const { session, row, at } = request;
  const panel = useRef<HTMLDivElement>(null);
  const isArchived = useObservable(session.isArchived);
  const isRead = useObservable(session.isRead);
  useEffect(() => {
    management.setContextMenuSession(session);
    return () => management.setContextMenuSession(undefined);
  }, [management, session]);
  const role = places.byId(useObservable(management.contextKeys.chatSessionProviderId))?.role.value ?? 'viewer';
  return (
    <MenuPanel
      panel={panel}
      label="Session"
      anchor={() => ({ left: at.left, top: at.top, bottom: at.top })}
      returnTo={() => row}
      onClosed={onClosed}
      items={[
        { label: 'Open', icon: <SquareArrowOutUpRight size={14} aria-hidden />, choose: () => onOpen(session) },
        {
          label: isArchived ? 'Unarchive' : 'Archive',
          icon: <Archive size={14} aria-hidden />,
          hint: 'E',
          disabledReason: permissionError(role, 'session/isArchivedChanged'),
          choose: () => onArchive([session]),
        },
        {
          label: isRead ? 'Mark unread' : 'Mark read',
          icon: isRead ? <Mail size={14} aria-hidden /> : <MailOpen size={14} aria-hidden />,
          hint: 'U',
          disabledReason: permissionError(role, 'session/isReadChanged'),
          choose: () => onUnread(session),
        },
        {
          label: 'Rename',
          icon: <Pencil size={14} aria-hidden />,
          disabledReason: permissionError(role, 'session/titleChanged'),
          choose: () => onRename(session),
        },
        'line',
        {
          label: 'Delete',
          icon: <Trash2 size={14} aria-hidden />,
          danger: true,
          disabledReason: permissionError(role, 'disposeSession'),
          choose: () => onDelete(session),
        },
      ]}
    />
  );
}
