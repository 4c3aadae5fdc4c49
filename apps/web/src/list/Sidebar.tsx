import { type Session, SessionStatus, type SessionsFilter } from '@agenthost/sessions';
import { Archive, Inbox, ListFilter, Search, Settings, SquarePen, X } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { type GuardedOperation, permissionError } from '../app/permissionError.js';
import { goTo } from '../app/route.js';
import { useServices } from '../app/services.js';
import { useAttempt } from '../app/useAttempt.js';
import { useObservable } from '../app/useObservable.js';
import { useSignedOut } from '../app/useSignedOut.js';
import { Banner } from '../conversation/Banner.js';
import { NativeGroup } from '../native/NativeGroup.js';
import { archiveSessions } from '../overlays/archiveSessions.js';
import { Menu } from '../overlays/Menu.js';
import { agentName } from './agentName.js';
import { Brand } from './Brand.js';
import { HostRows } from './HostRows.js';
import { SessionList } from './SessionList.js';
import { useSearch } from './useSearch.js';
import { useStatusCounts } from './useStatusCounts.js';

interface SidebarProps {
  readonly currentId: string | undefined;
  /** Whether it is the only visible pane. */
  readonly isAlone: boolean;
  /** In the place of a list without sessions, if it is the only pane. */
  readonly emptyView: ReactNode;
  readonly onTray: () => void;
  readonly onAddHost: () => void;
  readonly onSettings: () => void;
  readonly onHost: (host: PageHost) => void;
  readonly onRename: (session: Session) => void;
  readonly onDelete: (session: Session) => void;
}

const ARCHIVE = 'session/isArchivedChanged';
const CHIPS = [
  { label: 'All', statuses: undefined },
  { label: 'Needs input', statuses: [SessionStatus.NeedsInput] },
  { label: 'Running', statuses: [SessionStatus.InProgress] },
] as const;

export function Sidebar(props: SidebarProps) {
  const { currentId, isAlone, emptyView, onTray, onAddHost, onSettings, onHost } = props;
  const { management, list, hosts, places, settings, undos } = useServices();
  const allHosts = useObservable(hosts.all);
  const allPlaces = useObservable(places.all);
  const { singleLetters } = useObservable(settings.value);
  useObservable(list.version);
  const counts = useStatusCounts(management);
  const mayStart = useObservable(hosts.whyNoNewSession) === undefined;
  const [filter, setFilter] = useState<SessionsFilter>({ isArchived: false });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { problem, setProblem, attempt } = useAttempt();
  const snippets = useSearch(filter.text ?? '', setProblem);
  const field = useRef<HTMLInputElement>(null);

  const change = (changes: FilterChanges) => {
    const next = clean({ ...filter, ...changes });
    setFilter(next);
    list.setFilter(next);
  };
  const refusalFor = (sessions: readonly Session[], operation: GuardedOperation) =>
    sessions
      .map(({ providerId }) => places.byId(providerId))
      .map((place) => place && permissionError(place.role.value, operation))
      .find((why) => why !== undefined);
  const archive = (sessions: readonly Session[]) => {
    const refusal = refusalFor(sessions, ARCHIVE);
    if (refusal !== undefined) {
      setProblem(refusal);
      return;
    }
    setSelected(new Set());
    attempt(archiveSessions(management, undos, sessions));
  };
  const toggleRead = (session: Session) => {
    const refusal = refusalFor([session], 'session/isReadChanged');
    if (refusal === undefined) attempt(management.setRead(session, !session.isRead.value));
    else setProblem(refusal);
  };
  const selectedSessions = () => [...selected].flatMap((id) => management.getSessionById(id) ?? []);
  const isFiltered =
    filter.text !== undefined ||
    filter.statuses !== undefined ||
    filter.isRead !== undefined ||
    filter.isArchived !== false ||
    filter.providerIds !== undefined;
  const isEmpty = !isFiltered && management.getSessions().length === 0;
  return (
    <div className="sidebar" aria-label="Sessions" role={isAlone ? 'main' : 'navigation'}>
      <div className="side-head">
        <span className="brand" role={isAlone ? 'heading' : undefined} aria-level={isAlone ? 1 : undefined}>
          <Brand />
          Agent Sessions
        </span>
        <span className="grow" />
        <button type="button" className="ib" aria-label="Settings" title="Settings" onClick={onSettings}>
          <Settings size={17} aria-hidden />
        </button>
        <button
          type="button"
          className="ib"
          aria-label={`Needs input, ${counts.needsInput}`}
          title="Needs input (I)"
          data-tray
          onClick={onTray}
        >
          <Inbox size={18} aria-hidden />
          {counts.needsInput > 0 && <span className="badge num">{counts.needsInput}</span>}
        </button>
        {mayStart && (
          <button
            type="button"
            className="ib wide"
            aria-label="New session"
            title="New session (N)"
            onClick={() => goTo({ view: 'new' })}
          >
            <SquarePen size={17} aria-hidden />
          </button>
        )}
      </div>
      <div className="side-tools" hidden={isEmpty}>
        <label className="field">
          <Search size={15} aria-hidden />
          <input
            ref={field}
            type="search"
            data-search
            placeholder="Search titles and messages"
            aria-label="Search titles and messages"
            value={filter.text ?? ''}
            onChange={(event) => change({ text: event.target.value })}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return;
              change({ text: '' });
              field.current?.blur();
            }}
          />
          <kbd aria-hidden="true">/</kbd>
        </label>
        <div className="chips" role="group" aria-label="Filter">
          {CHIPS.map(({ label, statuses }) => {
            const count = label === 'Needs input' ? counts.needsInput : label === 'Running' ? counts.running : 0;
            return (
              <button
                key={label}
                type="button"
                className={label === 'Needs input' ? 'chip needs' : 'chip'}
                aria-pressed={filter.statuses?.[0] === statuses?.[0]}
                onClick={() => change({ statuses })}
              >
                {label} {count > 0 && <span className="n">{count}</span>}
              </button>
            );
          })}
          <span className="grow" />
          <Menu
            label="More filters: host, unread, archived"
            className="ib sm"
            items={[
              {
                label: 'Unread only',
                checked: filter.isRead === false,
                choose: () => change({ isRead: filter.isRead === false ? undefined : false }),
              },
              {
                label: 'Archived',
                checked: filter.isArchived === true,
                choose: () => change({ isArchived: filter.isArchived !== true }),
              },
              'line',
              {
                label: 'All hosts',
                checked: filter.providerIds === undefined,
                choose: () => change({ providerIds: undefined }),
              },
              ...allPlaces.map((place) => ({
                label: place.name,
                checked: filter.providerIds?.[0] === place.id,
                choose: () => change({ providerIds: [place.id] }),
              })),
            ]}
          >
            <ListFilter size={15} aria-hidden />
          </Menu>
        </div>
      </div>
      {isAlone && allHosts[0] && <AloneBanner host={allHosts[0]} isEmpty={isEmpty} />}
      {selected.size > 0 && (
        <div className="bulk" role="status">
          <span className="grow">{selected.size} selected</span>
          <button
            type="button"
            className="btn plain sm"
            disabled={refusalFor(selectedSessions(), ARCHIVE) !== undefined}
            title={refusalFor(selectedSessions(), ARCHIVE)}
            onClick={() => archive(selectedSessions())}
          >
            <Archive size={13} aria-hidden />
            {filter.isArchived ? 'Unarchive' : 'Archive'}
          </button>
          <button type="button" className="ib sm" aria-label="Clear selection" onClick={() => setSelected(new Set())}>
            <X size={13} aria-hidden />
          </button>
        </div>
      )}
      {problem && (
        <p className="blank bad" role="alert">
          {problem}
        </p>
      )}
      {list.sessionCount === 0 && !(isEmpty && isAlone) && (
        <p className="blank">
          {isFiltered ? (
            <>
              {filter.text ? `No session matches “${filter.text}”. ` : 'No session matches. '}
              <button
                type="button"
                className="btn quiet sm"
                onClick={() =>
                  change({
                    text: undefined,
                    statuses: undefined,
                    isRead: undefined,
                    isArchived: false,
                    providerIds: undefined,
                  })
                }
              >
                Clear filters
              </button>
            </>
          ) : (
            'Sessions appear here, grouped by workspace, newest first.'
          )}
        </p>
      )}
      {isEmpty && isAlone && emptyView}
      <SessionList
        model={list}
        currentId={currentId}
        selectedIds={selected}
        singleLetters={singleLetters}
        snippets={snippets}
        hostOf={(session) => (allPlaces.length > 1 ? places.byId(session.providerId)?.name : undefined)}
        agentName={(session) => agentName(places.byId(session.providerId), session.sessionType)}
        onCompare={({ sessionId }) => goTo({ view: 'session', sessionId, compare: true })}
        onOpen={({ sessionId }) =>
          goTo({ view: 'session', sessionId, ...(filter.text && snippets.has(sessionId) && { find: filter.text }) })
        }
        onSelect={setSelected}
        onArchive={archive}
        onUnread={toggleRead}
        onRename={props.onRename}
        onDelete={props.onDelete}
        onEnd={() => void management.loadMoreSessions()}
        footer={
          !isFiltered &&
          allHosts.map((host) => <NativeGroup key={host.id} host={host} isOnly={allHosts.length === 1} />)
        }
      />
      {mayStart && !isEmpty && (
        <button type="button" className="fab phone-only" onClick={() => goTo({ view: 'new' })}>
          <SquarePen size={18} aria-hidden />
          New session
        </button>
      )}
      <HostRows hosts={allHosts} onAdd={onAddHost} onHost={onHost} />
    </div>
  );
}

/** The banner of the other pane is not visible. What an empty list has in its place asks for a link itself. */
function AloneBanner({ host, isEmpty }: { readonly host: PageHost; readonly isEmpty: boolean }) {
  const signedOut = useSignedOut(host);
  return isEmpty && signedOut ? null : <Banner place={host} />;
}

type FilterChanges = { [Key in keyof SessionsFilter]?: SessionsFilter[Key] | undefined };

function clean(filter: FilterChanges): SessionsFilter {
  const entries = Object.entries(filter).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(entries) as SessionsFilter;
}
