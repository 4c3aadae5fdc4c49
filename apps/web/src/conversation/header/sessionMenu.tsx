import type { Role } from '@agenthost/protocol';
import { roleRefusal } from '@agenthost/protocol/internal';
import type { ChatModel } from '@agenthost/sessions';
import {
  Archive,
  ArrowRightLeft,
  Download,
  FileDiff,
  Files,
  FolderOpen,
  GitFork,
  Link,
  Mail,
  MessageSquarePlus,
  MessageSquareX,
  Pencil,
  Puzzle,
  SquareTerminal,
  Trash2,
} from 'lucide-react';
import { permissionError } from '../../app/permissionError.js';
import type { MenuItem } from '../../overlays/Menu.js';
import type { PageTerminals } from '../../terminal/useTerminals.js';

/** A dialog that the menu opens. */
export type SessionDialog =
  | 'customizations'
  | 'files'
  | 'newChat'
  | 'deleteChat'
  | 'handOver'
  | 'share'
  | 'export'
  | 'deleteEverywhere';

interface SessionMenuOptions {
  readonly role: Role;
  readonly isArchived: boolean;
  readonly supportsMultiChat: boolean;
  readonly hasHost: boolean;
  readonly hasSeveralChats: boolean;
  readonly canHandOver: boolean;
  readonly supports: ChatModel['supports'];
  readonly canExport: boolean;
  /** Its agent may keep the conversation in a store of its own. */
  readonly hasCopies: boolean;
  readonly terminals: PageTerminals | undefined;
  readonly onRename: () => void;
  readonly onFork: (() => void) | undefined;
  readonly onDelete: () => void;
  /** Missing where there is no host. */
  readonly onReview: (() => void) | undefined;
  /** Missing for roles that see no files. */
  readonly onFiles: (() => void) | undefined;
  readonly onArchive: () => void;
  readonly onUnread: () => void;
  readonly onDialog: (dialog: SessionDialog) => void;
}

/** What can be done with an open session; what the role or the agent does not allow says why. */
export function sessionMenu(options: SessionMenuOptions): (MenuItem | 'line')[] {
  const { role, isArchived, supportsMultiChat, hasHost, hasSeveralChats, canHandOver, supports, canExport, hasCopies } =
    options;
  const { terminals, onRename, onFork, onDelete, onReview, onFiles, onArchive, onUnread, onDialog } = options;
  return [
    ...(onReview
      ? [{ label: 'Review changes', icon: <FileDiff size={14} aria-hidden />, hint: 'D', choose: onReview }]
      : []),
    ...(onFiles
      ? [{ label: 'Open a file', icon: <FolderOpen size={14} aria-hidden />, hint: 'O', choose: onFiles }]
      : []),
    {
      label: 'Rename',
      icon: <Pencil size={14} aria-hidden />,
      hint: 'R',
      disabledReason: permissionError(role, 'session/titleChanged'),
      choose: onRename,
    },
    {
      label: isArchived ? 'Unarchive' : 'Archive',
      icon: <Archive size={14} aria-hidden />,
      disabledReason: permissionError(role, 'session/isArchivedChanged'),
      choose: onArchive,
    },
    {
      label: 'Mark unread',
      icon: <Mail size={14} aria-hidden />,
      disabledReason: permissionError(role, 'session/isReadChanged'),
      choose: onUnread,
    },
    ...(onFork
      ? [
          {
            label: 'Fork',
            icon: <GitFork size={14} aria-hidden />,
            hint: 'F',
            disabledReason: permissionError(role, 'forkSession'),
            choose: onFork,
          },
        ]
      : []),
    ...(onFork && canHandOver
      ? [
          {
            label: 'Hand over…',
            icon: <ArrowRightLeft size={14} aria-hidden />,
            disabledReason: permissionError(role, 'forkSession'),
            choose: () => onDialog('handOver'),
          },
        ]
      : []),
    {
      label: 'New chat in this session',
      icon: <MessageSquarePlus size={14} aria-hidden />,
      disabledReason:
        permissionError(role, 'createSession') ??
        (supportsMultiChat ? undefined : 'This session can have only one chat.'),
      choose: () => onDialog('newChat'),
    },
    ...(supports.has('artifacts')
      ? [{ label: 'Files', icon: <Files size={14} aria-hidden />, choose: () => onDialog('files') }]
      : []),
    ...(terminals
      ? [
          {
            label: terminals.isShown ? 'Hide terminals' : 'Terminals',
            icon: <SquareTerminal size={14} aria-hidden />,
            hint: 'Ctrl `',
            choose: terminals.toggle,
          },
        ]
      : []),
    ...(supports.has('customizations')
      ? [
          {
            label: 'Customizations',
            icon: <Puzzle size={14} aria-hidden />,
            choose: () => onDialog('customizations'),
          },
        ]
      : []),
    ...(canExport
      ? [{ label: 'Export…', icon: <Download size={14} aria-hidden />, choose: () => onDialog('export') }]
      : []),
    ...(hasHost
      ? [
          {
            label: 'Share a read-only link…',
            icon: <Link size={14} aria-hidden />,
            disabledReason: permissionError(role, 'shareSession'),
            choose: () => onDialog('share'),
          },
        ]
      : []),
    'line',
    ...(hasSeveralChats
      ? [
          {
            label: 'Delete this chat',
            icon: <MessageSquareX size={14} aria-hidden />,
            danger: true,
            disabledReason: permissionError(role, 'disposeSession'),
            choose: () => onDialog('deleteChat'),
          },
        ]
      : []),
    {
      label: hasSeveralChats ? 'Delete the session' : 'Delete',
      icon: <Trash2 size={14} aria-hidden />,
      danger: true,
      disabledReason: permissionError(role, 'disposeSession'),
      choose: onDelete,
    },
    ...(hasCopies
      ? [
          {
            label: 'Delete everywhere…',
            icon: <Trash2 size={14} aria-hidden />,
            danger: true,
            disabledReason: roleRefusal(role, 'owner'),
            choose: () => onDialog('deleteEverywhere'),
          },
        ]
      : []),
  ];
}
