import type { Disposable, Observable } from '@agenthost/client';
import type { Event } from '@agenthost/client/internal';
import { observable } from '../observable.js';
import type { SessionsChangeEvent } from '../providers/sessionsProvider.js';
import type { Session } from '../session.js';
import { GroupedRows, type SessionGroup, type SessionRow } from './groupedRows.js';
import { type Grouping, type GroupingName, groupings } from './grouping.js';
import { fitsFilter, type SessionsFilter } from './sessionsFilter.js';
import { type SessionsOrder, type SessionsOrderName, sessionsOrders } from './sessionsOrder.js';

/** What the list is made of: a management service, or one provider. */
export interface SessionsSource {
  getSessions(): readonly Session[];
  readonly onDidChangeSessions: Event<SessionsChangeEvent>;
}

export type SessionsListItem =
  | { readonly kind: 'group'; readonly group: SessionGroup; readonly isCollapsed: boolean }
  | { readonly kind: 'session'; readonly group: SessionGroup; readonly session: Session };

export interface SessionsListOptions {
  readonly filter?: SessionsFilter;
  /** Default: by workspace. */
  readonly groupBy?: GroupingName | Grouping;
  /** The order inside a group. Default: the newest first. */
  readonly order?: SessionsOrderName | SessionsOrder;
  readonly now?: () => Date;
}

interface Layout {
  readonly version: number;
  readonly groups: readonly SessionGroup[];
  /** The line where each group begins, and the end. */
  readonly starts: readonly number[];
}

/**
 * The list that user interfaces show: filtered, grouped, ordered. A change of one session computes one row and moves it if needed.
 * `version` changes when the rows or their order change; what a row shows is in its session's own observables.
 *
 * @example
 * ```ts
 * const list = new SessionsListModel(sessions, { groupBy: 'workspace' });
 * for (let line = 0; line < list.length; line++) {
 *   const item = list.at(line);
 *   console.log(item?.kind === 'group' ? item.group.label : item?.session.title.value);
 * }
 * list.dispose();
 * ```
 */
export class SessionsListModel {
  readonly version: Observable<number>;
  readonly #version = observable(0);
  readonly #source: SessionsSource;
  readonly #now: () => Date;
  readonly #following: Disposable;
  readonly #collapsed = new Set<string>();
  #rows: GroupedRows;
  #filter: SessionsFilter;
  #groupBy: Grouping;
  #order: SessionsOrder;
  #found: ReadonlySet<string> = new Set();
  #layout: Layout | undefined;

  constructor(source: SessionsSource, options: SessionsListOptions = {}) {
    this.#source = source;
    this.#now = options.now ?? (() => new Date());
    this.#filter = options.filter ?? {};
    this.#groupBy = groupingOf(options.groupBy ?? 'workspace');
    this.#order = orderOf(options.order ?? 'newest');
    this.version = this.#version;
    this.#rows = this.#makeRows();
    this.#following = source.onDidChangeSessions((event) => this.#changed(event));
  }

  get filter(): SessionsFilter {
    return this.#filter;
  }

  /** Sessions that fit, in all groups. */
  get sessionCount(): number {
    void this.#version.value;
    return this.#rows.size;
  }

  get groups(): readonly SessionGroup[] {
    return this.#laidOut().groups;
  }

  /** Lines to show: a heading for each group, and the rows of those that are not collapsed. */
  get length(): number {
    return this.#laidOut().starts.at(-1) ?? 0;
  }

  at(index: number): SessionsListItem | undefined {
    const { groups, starts } = this.#laidOut();
    const place = lastAtMost(starts, index);
    const group = groups[place];
    const offset = index - (starts[place] ?? 0);
    if (!group || offset < 0) return undefined;
    if (offset === 0) return { kind: 'group', group, isCollapsed: this.#collapsed.has(group.key) };
    const row: SessionRow | undefined = group.at(offset - 1);
    return row && { kind: 'session', group, session: row.session };
  }

  /** The line of a session; -1 when it is not shown. */
  indexOf(sessionId: string): number {
    const { groups, starts } = this.#laidOut();
    const found = this.#rows.find(sessionId);
    if (!found || this.#collapsed.has(found.group.key)) return -1;
    return (starts[groups.indexOf(found.group)] ?? 0) + 1 + found.index;
  }

  setFilter(filter: SessionsFilter): void {
    if (filter.text !== this.#filter.text) this.#found = new Set();
    this.#filter = filter;
    this.refresh();
  }

  /** What a full-text search for the filter's text has found: those fit as well. Until the text changes. */
  setFound(sessionIds: Iterable<string>): void {
    this.#found = new Set(sessionIds);
    this.refresh();
  }

  setGroupBy(groupBy: GroupingName | Grouping): void {
    this.#groupBy = groupingOf(groupBy);
    this.refresh();
  }

  setOrder(order: SessionsOrderName | SessionsOrder): void {
    this.#order = orderOf(order);
    this.refresh();
  }

  setCollapsed(groupKey: string, isCollapsed: boolean): void {
    if (this.#collapsed.has(groupKey) === isCollapsed) return;
    if (isCollapsed) this.#collapsed.add(groupKey);
    else this.#collapsed.delete(groupKey);
    this.#tell();
  }

  /** Rebuilds the list: after another filter or grouping, and at midnight where the groups are days. */
  refresh(): void {
    this.#rows = this.#makeRows();
    this.#tell();
  }

  dispose(): void {
    this.#following.dispose();
  }

  #makeRows(): GroupedRows {
    const sessions = this.#source.getSessions().filter((session) => this.#fits(session));
    return new GroupedRows(sessions, { groupBy: this.#groupBy, order: this.#order, now: this.#now });
  }

  #changed({ added, removed, changed }: SessionsChangeEvent): void {
    let isMoved = false;
    const update = (sessionId: string, session: Session | undefined) => {
      isMoved = this.#rows.update(sessionId, session) || isMoved;
    };
    for (const { sessionId } of removed) update(sessionId, undefined);
    for (const list of [added, changed]) {
      for (const session of list) update(session.sessionId, this.#fits(session) ? session : undefined);
    }
    if (isMoved) this.#tell();
  }

  #fits(session: Session): boolean {
    return fitsFilter(session, this.#filter, this.#found);
  }

  #tell(): void {
    this.#version.set(this.#version.value + 1);
  }

  /** Costs time per group, once after a change and only when the list is read. */
  #laidOut(): Layout {
    const version = this.#version.value;
    if (this.#layout?.version === version) return this.#layout;
    const groups = this.#rows.groups();
    const starts = [0];
    for (const { key, length } of groups) {
      starts.push((starts.at(-1) ?? 0) + 1 + (this.#collapsed.has(key) ? 0 : length));
    }
    this.#layout = { version, groups, starts };
    return this.#layout;
  }
}

function groupingOf(groupBy: GroupingName | Grouping): Grouping {
  return typeof groupBy === 'string' ? groupings[groupBy] : groupBy;
}

function orderOf(order: SessionsOrderName | SessionsOrder): SessionsOrder {
  return (typeof order === 'string' ? sessionsOrders[order] : order) as SessionsOrder;
}

/** The last place of a rising list whose number is not above this one. */
function lastAtMost(rising: readonly number[], wanted: number): number {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rising[middle] as number) <= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
