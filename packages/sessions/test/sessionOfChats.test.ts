import { describe, expect, it } from 'vitest';
import { createChat, observable, SessionStatus, sessionOfChats } from '../src/index.js';

const day = (n: number) => new Date(Date.UTC(2026, 0, n));
const { Completed, Error: Failed, InProgress, NeedsInput, Untitled } = SessionStatus;

function example() {
  const main = createChat('x:1', day(1), { title: 'Main', status: Completed, updatedAt: day(3), lastTurnEnd: day(3) });
  const second = createChat('x:2', day(2), { title: 'Second', status: Failed, updatedAt: day(5), lastTurnEnd: day(4) });
  const chats = observable([main, second]);
  const session = sessionOfChats({
    providerId: 'x',
    localId: 's',
    resource: 'x:s',
    sessionType: 'notes',
    icon: 'note',
    createdAt: day(1),
    chats,
  });
  return { session, main, second, chats };
}

describe('fields of a session from its chats', () => {
  it('title, changes, model, mode, archived and description are those of the main chat', () => {
    const { session, main, second } = example();
    const changes = [{ uri: 'file:///a', insertions: 1, deletions: 2 }];
    const fields = {
      title: 'T',
      changes,
      modelId: 'm',
      mode: { id: 'i', kind: 'k' },
      isArchived: true,
      description: 'd',
    };
    second.update({ title: 'no', changes: [], modelId: 'no', isArchived: false, description: 'no' });
    main.update(fields);
    const shown = Object.fromEntries(
      (Object.keys(fields) as (keyof typeof fields)[]).map((key) => [key, session[key].value]),
    );
    expect(shown).toEqual(fields);
  });

  it('the main chat is the first one', () => {
    const { session, main, second, chats } = example();
    expect(session.mainChat).toBe(main);
    const titles: string[] = [];
    session.title.subscribe((title) => titles.push(title));
    chats.set([second]);
    expect([session.mainChat, titles]).toEqual([second, ['Second']]);
  });

  it('updatedAt is the latest of all chats', () => {
    const { session, main } = example();
    expect(session.updatedAt.value).toEqual(day(5));
    main.update({ updatedAt: day(9) });
    expect(session.updatedAt.value).toEqual(day(9));
  });

  it('lastTurnEnd is the latest of all chats, and undefined when no turn has ended', () => {
    const { session, main, second } = example();
    expect(session.lastTurnEnd.value).toEqual(day(4));
    main.update({ lastTurnEnd: day(6) });
    expect(session.lastTurnEnd.value).toEqual(day(6));
    main.update({ lastTurnEnd: undefined });
    second.update({ lastTurnEnd: undefined });
    expect(session.lastTurnEnd.value).toBeUndefined();
  });

  it('isRead is true only when all chats are read', () => {
    const { session, main, second } = example();
    expect(session.isRead.value).toBe(true);
    second.update({ isRead: false });
    expect(session.isRead.value).toBe(false);
    main.update({ isRead: false });
    second.update({ isRead: true });
    expect(session.isRead.value).toBe(false);
    main.update({ isRead: true });
    expect(session.isRead.value).toBe(true);
  });

  it.each([
    [[Completed, NeedsInput], NeedsInput],
    [[NeedsInput, InProgress], NeedsInput],
    [[InProgress, NeedsInput], NeedsInput],
    [[Failed, InProgress], InProgress],
    [[Completed, InProgress], InProgress],
    [[Completed, Failed], Completed],
    [[Failed, Completed], Failed],
    [[Untitled, Completed], Untitled],
  ] as const)(
    'status of %j is %s: NeedsInput, then InProgress, then that of the main chat',
    ([first, other], status) => {
      const { session, main, second } = example();
      main.update({ status: first });
      second.update({ status: other });
      expect(session.status.value).toBe(status);
    },
  );

  it('notifies once of a change of several fields, and keeps references of unchanged ones', () => {
    const { session, main } = example();
    const told: Date[] = [];
    session.updatedAt.subscribe((value) => told.push(value));
    const before = session.updatedAt.value;
    main.update({ updatedAt: new Date(day(3)), title: 'Other' });
    expect([told, session.updatedAt.value === before]).toEqual([[], true]);
    main.update({ updatedAt: day(7), status: InProgress });
    expect(told).toEqual([day(7)]);
  });

  it('supports one chat and has no workspace by default', () => {
    const { session } = example();
    expect([session.capabilities, session.workspace.value, session.gitHubInfo.value, session.loading.value]).toEqual([
      { supportsMultipleChats: false },
      undefined,
      undefined,
      false,
    ]);
  });
});
