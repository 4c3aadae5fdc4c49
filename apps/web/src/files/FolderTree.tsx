import type { ChangedFile } from '@agenthost/protocol';
import { ChevronDown, ChevronRight, File, FileX, Folder } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { FileStatus } from '../review/FileList.js';
import type { SessionFolder } from './useChatFiles.js';
import { type TreeRow, useFolderTree } from './useFolderTree.js';

interface FolderTreeProps {
  readonly folder: SessionFolder;
  readonly current: string | undefined;
  readonly changed: ReadonlyMap<string, ChangedFile>;
  readonly onOpen: (path: string) => void;
}

/** The session's folder, a level at a time. */
export function FolderTree({ folder, current, changed, onOpen }: FolderTreeProps) {
  const { rows, toggle, more, isLoading } = useFolderTree(folder, current);
  const [focused, setFocused] = useState<string>();
  const moved = useRef(false);
  const list = useRef<HTMLDivElement>(null);
  const keyOf = (row: TreeRow) => `${row.kind === 'more' || row.kind === 'note' ? row.kind : ''} ${row.path}`;
  const can = rows.filter(({ kind }) => kind !== 'note');
  const at = Math.max(
    0,
    can.findIndex((row) => keyOf(row) === focused),
  );
  const inTab = can[at] && keyOf(can[at]);
  useEffect(() => {
    if (!moved.current) return;
    moved.current = false;
    list.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  });
  const choose = (row: TreeRow) => {
    setFocused(keyOf(row));
    if (row.kind === 'folder') toggle(row.path, !row.isOpen);
    else if (row.kind === 'file') onOpen(row.path);
    else if (row.kind === 'more') more(row.path);
  };
  const move = (to: number) => {
    const row = can[Math.max(0, Math.min(can.length - 1, to))];
    if (!row) return;
    moved.current = true;
    setFocused(keyOf(row));
  };
  const keyDown = (event: KeyboardEvent) => {
    const row = can[at];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const parent = can.findIndex(
      ({ kind, path }) => kind === 'folder' && path === row.path.slice(0, row.path.lastIndexOf('/')),
    );
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: can.length - 1,
    };
    const step = steps[event.key];
    const isClosed = row.kind === 'folder' && !row.isOpen;
    if (step !== undefined) move(step);
    else if (event.key === 'Enter' || event.key === ' ') choose(row);
    else if (event.key === 'ArrowRight' && isClosed) toggle(row.path, true);
    else if (event.key === 'ArrowRight') move(at + 1);
    else if (event.key === 'ArrowLeft' && row.isOpen) toggle(row.path, false);
    else if (event.key === 'ArrowLeft' && parent !== -1) move(parent);
    else return;
    event.preventDefault();
  };
  return (
    <div
      ref={list}
      className="ft"
      role="tree"
      aria-label="Files of the folder"
      aria-busy={isLoading}
      onKeyDown={keyDown}
    >
      {rows.map((row) => (
        <Row
          key={keyOf(row)}
          row={row}
          isCurrent={row.kind === 'file' && row.path === current}
          isInTab={keyOf(row) === inTab}
          status={row.kind === 'file' ? changed.get(row.path) : undefined}
          onChoose={() => choose(row)}
        />
      ))}
    </div>
  );
}

interface RowProps {
  readonly row: TreeRow;
  readonly isCurrent: boolean;
  readonly isInTab: boolean;
  readonly status: ChangedFile | undefined;
  readonly onChoose: () => void;
}

function Row({ row, isCurrent, isInTab, status, onChoose }: RowProps) {
  const { kind, name, depth, isOpen } = row;
  const indent = { paddingInlineStart: 8 + depth * 14 };
  if (kind === 'note')
    return (
      <div className="ft-note" role="none" style={indent}>
        {name}
      </div>
    );
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys
    <div
      className={kind === 'other' ? 'ft-r off' : 'ft-r'}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isCurrent}
      {...(kind === 'folder' && { 'aria-expanded': isOpen })}
      {...(kind === 'other' && { 'aria-disabled': true })}
      tabIndex={isInTab ? 0 : -1}
      style={indent}
      title={kind === 'other' ? `${name}: no file that can be opened` : name}
      onClick={onChoose}
    >
      <Glyph kind={kind} isOpen={isOpen} />
      <span className="clip grow">{name}</span>
      {status && <FileStatus status={status.status} />}
    </div>
  );
}

function Glyph({ kind, isOpen }: Pick<TreeRow, 'kind' | 'isOpen'>) {
  if (kind === 'folder') {
    const Chevron = isOpen ? ChevronDown : ChevronRight;
    return (
      <>
        <Chevron size={14} aria-hidden />
        <Folder size={14} aria-hidden />
      </>
    );
  }
  const Icon = kind === 'other' ? FileX : File;
  return (
    <>
      <span className="ft-gap" />
      {kind !== 'more' && <Icon size={14} aria-hidden />}
    </>
  );
}
