import type { Session } from '../session.js';
import type { Grouping, GroupOf } from './grouping.js';
import type { SessionsOrder } from './sessionsOrder.js';
import { SortedList } from './sortedList.js';

/** A session in its place. */
export interface SessionRow {
  readonly session: Session;
}

export interface SessionGroup {
  readonly key: string;
  readonly label: string;
  readonly length: number;
  at(index: number): SessionRow | undefined;
}

interface Row extends SessionRow {
  /** What it is ordered by, as it was when it was placed. */
  readonly key: unknown;
  readonly group: Group;
}

interface Group extends GroupOf, SessionGroup {
  readonly rows: SortedList<Row>;
}

export interface GroupedRowsOptions {
  readonly groupBy: Grouping;
  readonly order: SessionsOrder;
  readonly now: () => Date;
}

/** Sessions in groups, both in order, kept so one session at a time. */
export class GroupedRows {
  readonly #options: GroupedRowsOptions;
  readonly #rows = new Map<string, Row>();
  readonly #groups = new Map<string, Group>();
  readonly #order = new SortedList<Group>((a, b) => this.#compareGroups(a, b));

  /** All of them sorted together: for the beginning. */
  constructor(sessions: readonly Session[], options: GroupedRowsOptions) {
    this.#options = options;
    const members = new Map<Group, Row[]>();
    for (const session of sessions) {
      const row = this.#place(session);
      const siblings = members.get(row.group);
      if (siblings) siblings.push(row);
      else members.set(row.group, [row]);
    }
    for (const [group, rows] of members) group.rows.replaceAll(rows);
    this.#order.replaceAll([...this.#groups.values()]);
  }

  get size(): number {
    return this.#rows.size;
  }

  groups(): readonly SessionGroup[] {
    return this.#order.toArray();
  }

  find(sessionId: string): { readonly group: SessionGroup; readonly index: number } | undefined {
    const row = this.#rows.get(sessionId);
    return row && { group: row.group, index: row.group.rows.indexOf(row) };
  }

  /** Moves the session to its place, or removes it; returns whether the rows changed. */
  update(sessionId: string, session: Session | undefined): boolean {
    const before = this.#rows.get(sessionId);
    if (before && session && this.#stays(before, session)) return false;
    if (before) this.#take(before);
    if (session) this.#put(this.#place(session));
    return before !== undefined || session !== undefined;
  }

  #stays(row: Row, session: Session): boolean {
    const { groupBy, order, now } = this.#options;
    if (row.session !== session || groupBy(session, now()).key !== row.group.key) return false;
    return order.compare(row.key, order.keyOf(session)) === 0;
  }

  #place(session: Session): Row {
    const { groupBy, order, now } = this.#options;
    const row: Row = { session, key: order.keyOf(session), group: this.#group(groupBy(session, now())) };
    this.#rows.set(session.sessionId, row);
    return row;
  }

  #group(of: GroupOf): Group {
    const known = this.#groups.get(of.key);
    if (known) return known;
    const rows = new SortedList<Row>((a, b) => this.#compareRows(a, b));
    const group: Group = {
      ...of,
      rows,
      get length() {
        return rows.length;
      },
      at: (index) => rows.at(index),
    };
    this.#groups.set(of.key, group);
    return group;
  }

  #put(row: Row): void {
    this.#reorder(row.group, () => row.group.rows.insert(row));
  }

  #take(row: Row): void {
    const { group, session } = row;
    this.#rows.delete(session.sessionId);
    this.#reorder(group, () => group.rows.remove(row));
    if (group.length === 0) this.#groups.delete(group.key);
  }

  /** A group is where its first row says, so it is taken out before that may become another one. */
  #reorder(group: Group, change: () => void): void {
    if (group.length > 0) this.#order.remove(group);
    change();
    if (group.length > 0) this.#order.insert(group);
  }

  #compareRows(a: Row, b: Row): number {
    const byOrder = this.#options.order.compare(a.key, b.key);
    if (byOrder !== 0 || a === b) return byOrder;
    return a.session.sessionId < b.session.sessionId ? -1 : 1;
  }

  #compareGroups(a: Group, b: Group): number {
    if (a === b) return 0;
    const [first, other] = [a.rows.first, b.rows.first];
    return a.rank - b.rank || (first && other ? this.#compareRows(first, other) : 0) || (a.key < b.key ? -1 : 1);
  }
}
