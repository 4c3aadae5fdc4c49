import type { Session, SessionGroup, SessionsListModel } from '@agenthost/sessions';
import { ChevronDown, ChevronRight } from 'lucide-react';
import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { useNow } from '../app/useNow.js';
import { useObservable } from '../app/useObservable.js';
import { RowMenu, type RowMenuRequest } from './RowMenu.js';
import { SessionRow } from './SessionRow.js';

export interface SessionListProps {
  readonly model: SessionsListModel;
  readonly currentId: string | undefined;
  readonly selectedIds: ReadonlySet<string>;
  readonly singleLetters: boolean;
  readonly snippets: ReadonlyMap<string, string>;
  /** Shown beside a workspace's name when there are several hosts. */
  readonly hostOf: (session: Session) => string | undefined;
  readonly agentName: (session: Session) => string;
  readonly onOpen: (session: Session) => void;
  readonly onCompare: (session: Session) => void;
  readonly onSelect: (ids: ReadonlySet<string>) => void;
  readonly onArchive: (sessions: readonly Session[]) => void;
  readonly onUnread: (session: Session) => void;
  readonly onRename: (session: Session) => void;
  readonly onDelete: (session: Session) => void;
  /** Called when the end of the loaded rows is near. */
  readonly onEnd: () => void;
  /** Follows the last row, and scrolls with the rows. */
  readonly footer: ReactNode;
}

const NEAR_END = 30;
const MOST_FRAMES = 30;

/** All sessions of all hosts: only the visible ones are in the document. */
export function SessionList(props: SessionListProps) {
  const { model, currentId, selectedIds } = props;
  useObservable(model.version);
  const now = useNow(true, 30_000);
  const list = useRef<VirtualizerHandle>(null);
  const region = useRef<HTMLDivElement>(null);
  const [focusId, setFocusId] = useState<string>();
  const [menu, setMenu] = useState<RowMenuRequest>();
  /** Moved by a key: the focus follows. */
  const moved = useRef(false);
  const focused = focusId !== undefined && model.indexOf(focusId) !== -1 ? focusId : currentId;

  // Kept in the document wherever it is scrolled: a removed element would lose the focus.
  const focusedAt = focused === undefined ? -1 : model.indexOf(focused);

  const sessionAt = (index: number): Session | undefined => {
    const item = model.at(index);
    return item?.kind === 'session' ? item.session : undefined;
  };
  const focusRow = (index: number, step: 1 | -1) => {
    for (let at = index; at >= 0 && at < model.length; at += step) {
      const session = sessionAt(at);
      if (!session) continue;
      moved.current = true;
      setFocusId(session.sessionId);
      list.current?.scrollToIndex(at, { align: 'nearest' });
      return;
    }
  };
  useEffect(() => {
    if (focusId === undefined || !moved.current) return;
    moved.current = false;
    return focusWhenShown(() => rowOf(region.current, focusId));
  }, [focusId]);

  const fold = (key: string, isCollapsed: boolean) => {
    model.setCollapsed(key, isCollapsed);
    // Its rows are gone: the heading gets the focus, where the group can be unfolded.
    if (isCollapsed) requestAnimationFrame(() => headingOf(region.current, key)?.focus());
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if ((event.target as HTMLElement).closest('.list-foot, .group-cmp')) return;
    const heading = (event.target as HTMLElement).dataset['group'];
    const at = heading === undefined ? focusedAt : indexOfGroup(model, heading);
    const session = sessionAt(at);
    const letter = props.singleLetters ? event.key.toLowerCase() : '';
    if (event.key === 'ArrowDown' || letter === 'j') focusRow(at + 1, 1);
    else if (event.key === 'ArrowUp' || letter === 'k') focusRow(at - 1, -1);
    else if (event.key === 'Home') focusRow(0, 1);
    else if (event.key === 'End') focusRow(model.length - 1, -1);
    else if (heading !== undefined && (event.key === 'ArrowLeft' || event.key === 'ArrowRight'))
      fold(heading, event.key === 'ArrowLeft');
    else if (!session) return;
    else if (event.key === ' ') props.onSelect(toggled(selectedIds, session.sessionId));
    else if (letter === 'e') props.onArchive(chosen(model, selectedIds, session));
    else if (letter === 'u') props.onUnread(session);
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      const item = model.at(at);
      if (item) fold(item.group.key, event.key === 'ArrowLeft');
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const followFocus = (event: FocusEvent) => {
    const id = (event.target as HTMLElement).dataset['session'];
    if (id !== undefined) setFocusId(id);
  };
  const open = (session: Session, event: MouseEvent) => {
    setFocusId(session.sessionId);
    if (event.ctrlKey || event.metaKey) props.onSelect(toggled(selectedIds, session.sessionId));
    else props.onOpen(session);
  };
  /** By the right button, or the context menu key. */
  const openMenu = (event: MouseEvent) => {
    const frame = (event.target as HTMLElement).closest<HTMLElement>('.row-frame');
    const row = frame?.querySelector<HTMLElement>('[data-session]');
    const session = sessionAt(model.indexOf(row?.dataset['session'] ?? ''));
    if (!row || !session) return;
    event.preventDefault();
    const { left, bottom } = row.getBoundingClientRect();
    const isByKey = event.clientX === 0 && event.clientY === 0;
    setMenu({ session, row, at: isByKey ? { left, top: bottom } : { left: event.clientX, top: event.clientY } });
  };
  const scrolled = () => {
    const { current } = list;
    if (current && current.findItemIndex(current.scrollOffset + current.viewportSize) > model.length - NEAR_END)
      props.onEnd();
  };
  return (
    <div
      className="list"
      ref={region}
      role="region"
      aria-label="Session list"
      onKeyDown={keyDown}
      onFocus={followFocus}
      onContextMenu={openMenu}
      data-list
    >
      <Virtualizer
        ref={list}
        keepMounted={focusedAt === -1 ? [] : [focusedAt]}
        onScroll={scrolled}
        data={{ length: model.length } as ArrayLike<unknown>}
        itemSize={52}
      >
        {(_, index) => {
          const item = model.at(index);
          if (!item) return <span key={index} />;
          if (item.kind === 'group') {
            const host = item.group.at(0);
            return (
              <GroupHeading
                onCompare={host?.session.several?.value && props.onCompare}
                key={`group ${item.group.key}`}
                group={item.group}
                isCollapsed={item.isCollapsed}
                host={host && props.hostOf(host.session)}
                onCollapse={(isCollapsed) => model.setCollapsed(item.group.key, isCollapsed)}
              />
            );
          }
          const { session } = item;
          const { sessionId } = session;
          return (
            <SessionRow
              key={sessionId}
              session={session}
              agentName={props.agentName(session)}
              current={sessionId === currentId}
              focused={sessionId === (focused ?? firstId(model))}
              selected={selectedIds.has(sessionId)}
              now={now}
              onOpen={open}
              onMenu={openMenu}
              snippet={props.snippets.get(sessionId)}
            />
          );
        }}
      </Virtualizer>
      <div className="list-foot">{props.footer}</div>
      {menu && (
        <RowMenu
          key={`${menu.session.sessionId} ${menu.at.left} ${menu.at.top}`}
          request={menu}
          onOpen={props.onOpen}
          onArchive={props.onArchive}
          onUnread={props.onUnread}
          onRename={props.onRename}
          onDelete={props.onDelete}
          onClosed={() => setMenu((shown) => (shown === menu ? undefined : shown))}
        />
      )}
    </div>
  );
}

interface GroupHeadingProps {
  readonly group: SessionGroup;
  readonly isCollapsed: boolean;
  readonly host: string | undefined;
  readonly onCollapse: (isCollapsed: boolean) => void;
  /** For sessions with one prompt. */
  readonly onCompare: ((session: Session) => void) | undefined;
}

function GroupHeading({ group, isCollapsed, host, onCollapse, onCompare }: GroupHeadingProps) {
  const first = group.at(0)?.session;
  const Chevron = isCollapsed ? ChevronRight : ChevronDown;
  if (group.label === '') return <span />;
  return (
    <h2 className="group">
      <button
        type="button"
        className="group-h"
        data-group={group.key}
        aria-expanded={!isCollapsed}
        onClick={() => onCollapse(!isCollapsed)}
      >
        <Chevron size={13} aria-hidden />
        <b className="clip">{group.label}</b>
        {host && <span className="host">{host}</span>}
        {isCollapsed && <span className="host num">{group.length}</span>}
      </button>
      {onCompare && first && (
        <button type="button" className="btn quiet sm group-cmp" onClick={() => onCompare(first)}>
          Compare<span className="sr"> {group.label}</span>
        </button>
      )}
    </h2>
  );
}

function firstId(model: SessionsListModel): string | undefined {
  const item = model.at(1);
  return item?.kind === 'session' ? item.session.sessionId : undefined;
}

function rowOf(region: HTMLElement | null, sessionId: string): HTMLElement | null | undefined {
  return region?.querySelector<HTMLElement>(`[data-session="${CSS.escape(sessionId)}"]`);
}

/** A new row is hidden until it is measured, and a hidden element takes no focus. */
function focusWhenShown(find: () => HTMLElement | null | undefined): () => void {
  let frame = 0;
  const attempt = (left: number) => {
    const row = find();
    row?.focus({ preventScroll: true });
    if (left > 0 && (!row || document.activeElement !== row)) frame = requestAnimationFrame(() => attempt(left - 1));
  };
  attempt(MOST_FRAMES);
  return () => cancelAnimationFrame(frame);
}

function headingOf(region: HTMLElement | null, key: string): HTMLElement | null | undefined {
  return region?.querySelector<HTMLElement>(`[data-group="${CSS.escape(key)}"]`);
}

function indexOfGroup(model: SessionsListModel, key: string): number {
  for (let index = 0; index < model.length; ) {
    const item = model.at(index);
    if (item?.kind !== 'group') return -1;
    if (item.group.key === key) return index;
    index += 1 + (item.isCollapsed ? 0 : item.group.length);
  }
  return -1;
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}

function chosen(model: SessionsListModel, ids: ReadonlySet<string>, session: Session): Session[] {
  if (ids.size === 0) return [session];
  const all = [...ids].map((id) => model.at(model.indexOf(id)));
  return all.flatMap((item) => (item?.kind === 'session' ? [item.session] : []));
}
