import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/holds.js';
import {
  createChat,
  Emitter,
  type Grouping,
  groupings,
  InMemoryProvider,
  observable,
  type Session,
  SessionStatus,
  type SessionsChangeEvent,
  SessionsListModel,
  SessionsManagementService,
  type SessionsOrder,
  SessionsProvidersService,
  sessionOfChats,
  sessionsOrders,
} from '../src/index.js';

const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 60_000);

interface Row {
  readonly id: string;
  readonly label: string;
  readonly time: number;
  readonly title?: string;
  readonly status?: SessionStatus;
}

function makeSession({ id, label, time, title = id, status = SessionStatus.Completed }: Row, providerId = 'x') {
  const chat = createChat(`${providerId}:chat/${id}`, at(0), { title, status, updatedAt: at(time) });
  const workspace = observable(
    label === '' ? undefined : { label, icon: 'folder', repositories: [], requiresWorkspaceTrust: false },
  );
  const session = sessionOfChats({
    providerId,
    localId: id,
    resource: `${providerId}:${id}`,
    sessionType: 'notes',
    icon: 'note',
    createdAt: at(0),
    chats: observable([chat]),
    workspace,
  });
  return { session, chat, workspace };
}

class Source {
  readonly sessions = new Map<string, Session>();
  readonly #changes = new Emitter<SessionsChangeEvent>();
  readonly onDidChangeSessions = this.#changes.event;
  getSessions = () => [...this.sessions.values()];

  put(session: Session): void {
    const isKnown = this.sessions.has(session.sessionId);
    this.sessions.set(session.sessionId, session);
    this.#changes.fire({ added: isKnown ? [] : [session], removed: [], changed: isKnown ? [session] : [] });
  }

  remove(session: Session): void {
    this.sessions.delete(session.sessionId);
    this.#changes.fire({ added: [], removed: [session], changed: [] });
  }
}

const lines = (list: SessionsListModel) =>
  Array.from({ length: list.length }, (_, index) => {
    const item = list.at(index);
    return item?.kind === 'group' ? `# ${item.group.label}` : item?.session.sessionId.slice(2);
  });

function example(rows: readonly Row[], options: ConstructorParameters<typeof SessionsListModel>[1] = {}) {
  const source = new Source();
  const made = new Map(rows.map((row) => [row.id, makeSession(row)]));
  for (const { session } of made.values()) source.sessions.set(session.sessionId, session);
  const list = new SessionsListModel(source, { now: () => at(0), ...options });
  const get = (id: string) => made.get(id) as ReturnType<typeof makeSession>;
  return { source, list, get };
}

const ROWS: readonly Row[] = [
  { id: 'a', label: 'one', time: 1 },
  { id: 'b', label: 'two', time: 5 },
  { id: 'c', label: 'one', time: 3 },
  { id: 'd', label: '', time: 9 },
];

describe('the list of sessions', () => {
  it('groups by workspace, newest first, sessions without one last as Unknown', () => {
    const { list } = example(ROWS);
    expect(lines(list)).toEqual(['# two', 'b', '# one', 'c', 'a', '# Unknown', 'd']);
    expect([list.sessionCount, list.indexOf('x:a'), list.indexOf('x:none'), list.at(7), list.at(-1)]).toEqual([
      4,
      4,
      -1,
      undefined,
      undefined,
    ]);
  });

  it('follows additions, changes and removals', () => {
    const { list, source, get } = example(ROWS);
    let versions = 0;
    list.version.subscribe(() => versions++);
    get('a').chat.update({ updatedAt: at(7) });
    source.put(get('a').session);
    expect(lines(list)).toEqual(['# one', 'a', 'c', '# two', 'b', '# Unknown', 'd']);
    get('d').workspace.set({ label: 'two', icon: '', repositories: [], requiresWorkspaceTrust: false });
    source.put(get('d').session);
    expect(lines(list)).toEqual(['# two', 'd', 'b', '# one', 'a', 'c']);
    source.remove(get('b').session);
    source.remove(get('d').session);
    expect(lines(list)).toEqual(['# one', 'a', 'c']);
    source.put(makeSession({ id: 'e', label: 'three', time: 2 }).session);
    expect(lines(list)).toEqual(['# one', 'a', 'c', '# three', 'e']);
    expect(versions).toBe(5);
  });

  it('does not report a change that moves nothing', () => {
    const { list, source, get } = example(ROWS);
    let versions = 0;
    list.version.subscribe(() => versions++);
    get('a').chat.update({ title: 'Another name', status: SessionStatus.InProgress });
    source.put(get('a').session);
    expect(versions).toBe(0);
  });

  it('filters by status, archive, read, provider, type and words', () => {
    const { list, source, get } = example(ROWS);
    get('a').chat.update({ status: SessionStatus.NeedsInput, isArchived: true, isRead: false, title: 'Fix the Login' });
    const only = (filter: Parameters<SessionsListModel['setFilter']>[0]) => {
      list.setFilter(filter);
      return lines(list).filter((line) => !line?.startsWith('#'));
    };
    expect(only({ statuses: [SessionStatus.NeedsInput] })).toEqual(['a']);
    expect(only({ isArchived: true })).toEqual(['a']);
    expect(only({ isArchived: false })).toEqual(['b', 'c', 'd']);
    expect(only({ isRead: false })).toEqual(['a']);
    expect(only({ providerIds: ['y'] })).toEqual([]);
    expect(only({ sessionTypes: ['notes'] }).length).toBe(4);
    expect(only({ text: 'login FIX' })).toEqual(['a']);
    expect(only({ text: 'two' })).toEqual(['b']);
    expect(only({ text: 'login nothing' })).toEqual([]);
    list.setFound(['x:c']);
    expect(lines(list)).toEqual(['# one', 'c']);
    expect(only({ text: 'login' })).toEqual(['a']);
    get('b').chat.update({ title: 'A second login' });
    source.put(get('b').session);
    get('a').chat.update({ title: 'gone' });
    source.put(get('a').session);
    expect(lines(list)).toEqual(['# two', 'b']);
  });

  it('groups by status, by time and not at all; orders by title', () => {
    const rows: Row[] = [
      { id: 'a', label: 'l', time: 0, status: SessionStatus.Completed, title: 'Zebra' },
      { id: 'b', label: 'l', time: -60 * 24 * 3, status: SessionStatus.NeedsInput, title: 'ant' },
      { id: 'c', label: 'l', time: -60 * 24 * 400, status: SessionStatus.Error, title: 'Bee' },
    ];
    const { list } = example(rows, { groupBy: 'status' });
    expect(lines(list)).toEqual(['# Needs input', 'b', '# Failed', 'c', '# Done', 'a']);
    list.setGroupBy('time');
    expect(lines(list)).toEqual(['# Today', 'a', '# Last 7 days', 'b', '# Older', 'c']);
    list.setGroupBy('none');
    list.setOrder('title');
    expect(lines(list)).toEqual(['# ', 'b', 'c', 'a']);
  });

  it('hides the rows of a collapsed group', () => {
    const { list } = example(ROWS);
    list.setCollapsed('one', true);
    expect([lines(list), list.indexOf('x:a'), list.indexOf('x:d')]).toEqual([
      ['# two', 'b', '# one', '# Unknown', 'd'],
      -1,
      4,
    ]);
    list.setCollapsed('one', false);
    expect(list.length).toBe(7);
  });

  it('equals a freshly built list after any changes', () => {
    const change = fc.record({
      id: fc.constantFrom(...'abcdefgh'),
      label: fc.constantFrom('', 'one', 'two', 'three'),
      time: fc.nat(20),
      isRemoved: fc.boolean(),
    });
    const groupBy = fc.constantFrom('workspace' as const, 'time' as const, 'none' as const);
    holds(
      fc.property(fc.array(change, { maxLength: 40 }), groupBy, (changes, grouping) => {
        const { list, source } = example([], { groupBy: grouping });
        for (const { isRemoved, ...row } of changes) {
          const known = source.sessions.get(`x:${row.id}`);
          if (isRemoved && known) source.remove(known);
          else source.put(makeSession(row).session);
        }
        const anew = new SessionsListModel(source, { groupBy: grouping, now: () => at(0) });
        expect(lines(list)).toEqual(lines(anew));
        for (const [index, line] of lines(list).entries()) {
          if (!line?.startsWith('#')) expect(list.indexOf(`x:${line}`)).toBe(index);
        }
      }),
    );
  });
});

describe('10,000 sessions of 3 providers', () => {
  it('one change computes one row, with as many comparisons as a binary search', async () => {
    const registry = new SessionsProvidersService();
    const sources = ['a', 'b', 'c'].map((id) => {
      const source = new Source();
      registry.registerProvider(Object.assign(new InMemoryProvider({ id }), source));
      return source;
    });
    const all = Array.from({ length: 10_000 }, (_, n) => {
      const made = makeSession({ id: `s${n}`, label: `project ${n % 50}`, time: n }, 'abc'[n % 3]);
      sources[n % 3]?.put(made.session);
      return made;
    });
    const service = new SessionsManagementService(registry);
    const counted = { keys: 0, comparisons: 0, groupings: 0 };
    const order: SessionsOrder<number> = {
      keyOf: (session) => {
        counted.keys++;
        return sessionsOrders.newest.keyOf(session);
      },
      compare: (x, y) => {
        counted.comparisons++;
        return sessionsOrders.newest.compare(x, y);
      },
    };
    const groupBy: Grouping = (session, now) => {
      counted.groupings++;
      void now;
      return groupings.workspace(session);
    };
    const list = new SessionsListModel(service, { order: order as SessionsOrder, groupBy });
    expect([list.sessionCount, counted.keys, counted.groupings]).toEqual([10_000, 10_000, 10_000]);

    const rows = { touched: 0 };
    for (const { session } of all.slice(0, 5_000)) session.updatedAt.subscribe(() => rows.touched++);
    const versions: number[] = [];
    list.version.subscribe((version) => versions.push(version));
    Object.assign(counted, { keys: 0, comparisons: 0, groupings: 0 });
    const made = all[4_321] as (typeof all)[number];
    made.chat.update({ updatedAt: at(20_000) });
    sources[4_321 % 3]?.put(made.session);
    expect(list.at(1)).toMatchObject({ kind: 'session', session: made.session });
    expect([rows.touched, versions.length, counted.keys, counted.groupings]).toEqual([1, 1, 2, 2]);
    // In its group of 200 out and in again, and the group among 50 out and in again: log₂ 200 + log₂ 50, twice.
    expect(counted.comparisons).toBeLessThan(4 * (Math.log2(200) + Math.log2(50)));

    Object.assign(counted, { keys: 0, comparisons: 0, groupings: 0 });
    made.chat.update({ title: 'Another name' });
    sources[4_321 % 3]?.put(made.session);
    expect([counted, versions.length]).toEqual([{ keys: 1, comparisons: 1, groupings: 1 }, 1]);
  });
});
