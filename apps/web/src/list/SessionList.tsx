import type { Session, SessionGroup, SessionsListModel } from '@agenthost/sessions';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from 'react';
import { VList, type VListHandle } from 'virtua';
import { useNow } from '../app/useNow.js';
import { useObservable } from '../app/useObservable.js';
import { SessionRow } from './SessionRow.js';

export interface SessionListProps {
  readonly model: SessionsListModel;
  readonly currentId: string | undefined;
  readonly selectedIds: ReadonlySet<string>;
  readonly singleLetters: boolean;
  readonly snippets: ReadonlyMap<string, string>;
  /** Beside a workspace's name, where there are several hosts. */
  readonly hostOf: (session: Session) => string | undefined;
  readonly agentName: (session: Session) => string;
  readonly onOpen: (session: Session) => void;
  readonly onSelect: (ids: ReadonlySet<string>) => void;
  readonly onArchive: (sessions: readonly Session[]) => void;
  readonly onUnread: (session: Session) => void;
  /** The end of what is there came near. */
  readonly onEnd: () => void;
}

const NEAR_END = 30;

/** All sessions of all hosts, however many: only what can be seen is in the page. */
export function SessionList(props: SessionListProps) {
  const { model, currentId, selectedIds } = props;
  useObservable(model.version);
  const now = useNow(true, 30_000);
  const list = useRef<VListHandle>(null);
  const region = useRef<HTMLDivElement>(null);
  const [focusId, setFocusId] = useState<string>();
  const focused = focusId !== undefined && model.indexOf(focusId) !== -1 ? focusId : currentId;

  const sessionAt = (index: number): Session | undefined => {
    const item = model.at(index);
    return item?.kind === 'session' ? item.session : undefined;
  };
  const focusRow = (index: number, step: 1 | -1) => {
    for (let at = index; at >= 0 && at < model.length; at += step) {
      const session = sessionAt(at);
      if (!session) continue;
      setFocusId(session.sessionId);
      list.current?.scrollToIndex(at, { align: 'nearest' });
      return;
    }
  };
  useEffect(() => {
    if (focusId === undefined || !region.current?.contains(document.activeElement)) return;
    // The row may have to be brought into the page first.
    const frame = requestAnimationFrame(() => rowOf(region.current, focusId)?.focus());
    return () => cancelAnimationFrame(frame);
  }, [focusId]);

  const keyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = focused === undefined ? -1 : model.indexOf(focused);
    const session = sessionAt(at);
    const letter = props.singleLetters ? event.key.toLowerCase() : '';
    if (event.key === 'ArrowDown' || letter === 'j') focusRow(at + 1, 1);
    else if (event.key === 'ArrowUp' || letter === 'k') focusRow(at - 1, -1);
    else if (event.key === 'Home') focusRow(0, 1);
    else if (event.key === 'End') focusRow(model.length - 1, -1);
    else if (!session) return;
    else if (event.key === ' ') props.onSelect(toggled(selectedIds, session.sessionId));
    else if (letter === 'e') props.onArchive(chosen(model, selectedIds, session));
    else if (letter === 'u') props.onUnread(session);
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      const item = model.at(at);
      if (item) model.setCollapsed(item.group.key, event.key === 'ArrowLeft');
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const open = (session: Session, event: MouseEvent) => {
    setFocusId(session.sessionId);
    if (event.ctrlKey || event.metaKey) props.onSelect(toggled(selectedIds, session.sessionId));
    else props.onOpen(session);
  };
  const scrolled = () => {
    const { current } = list;
    if (current && current.findItemIndex(current.scrollOffset + current.viewportSize) > model.length - NEAR_END)
      props.onEnd();
  };
  return (
    <div className="list" ref={region} role="region" aria-label="Session list" onKeyDown={keyDown} data-list>
      <VList ref={list} onScroll={scrolled} data={{ length: model.length } as ArrayLike<unknown>} itemSize={52}>
        {(_, index) => {
          const item = model.at(index);
          if (!item) return <span key={index} />;
          if (item.kind === 'group') {
            const host = item.group.at(0);
            return (
              <GroupHeading
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
              snippet={props.snippets.get(sessionId)}
            />
          );
        }}
      </VList>
    </div>
  );
}

interface GroupHeadingProps {
  readonly group: SessionGroup;
  readonly isCollapsed: boolean;
  readonly host: string | undefined;
  readonly onCollapse: (isCollapsed: boolean) => void;
}

function GroupHeading({ group, isCollapsed, host, onCollapse }: GroupHeadingProps) {
  const Chevron = isCollapsed ? ChevronRight : ChevronDown;
  if (group.label === '') return <span />;
  return (
    <h2 className="group">
      <button type="button" className="group-h" aria-expanded={!isCollapsed} onClick={() => onCollapse(!isCollapsed)}>
        <Chevron size={13} aria-hidden />
        <b className="clip">{group.label}</b>
        {host && <span className="host">{host}</span>}
        {isCollapsed && <span className="host num">{group.length}</span>}
      </button>
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
