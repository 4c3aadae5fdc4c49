import type { Chat, Session, SessionsProvider } from '@agenthost/sessions';
import { SessionStatus } from '@agenthost/sessions';
import { type ContractTools, expectEqual, expectRejection } from './contractTools.js';
import { isListed } from './listingCases.js';
import type { Check } from './providerContract.js';

/** The fields of a session have their real values. */
export const truthCases: Readonly<Record<string, Check>> = {
  'is loading while its first message is sent, and not before or after': async (tools) => {
    const { provider, createNew, query } = tools;
    const from = await createNew();
    expectEqual('loading before it is sent', from.loading.value, false);
    const sending = provider.sendAndCreateChat(from.sessionId, { query });
    // A provider that needs no time may have replaced the session already.
    const isGone = !isListed(provider.getSessions(), from.sessionId);
    expectEqual('loading while it is sent', from.loading.value || isGone, true);
    const to = await sending;
    expectEqual('loading of the untitled session afterwards', from.loading.value, false);
    await tools.until('the end of loading', to.loading, (value) => !value);
  },

  'is no longer loading when its first message was refused': async (tools) => {
    const { provider, createNew, query, refuseNext } = tools;
    if (!refuseNext) return;
    const session = await createNew();
    refuseNext();
    const sending = provider.sendAndCreateChat(session.sessionId, { query });
    expectEqual('loading while it is sent', session.loading.value, true);
    await expectRejection('a message that is refused', () => sending);
    const after = [session.loading.value, session.status.value, isListed(provider.getSessions(), session.sessionId)];
    expectEqual('loading, status and whether it is listed', after, [false, SessionStatus.Untitled, true]);
    const sent = await provider.sendAndCreateChat(session.sessionId, { query });
    await tools.until('the end of loading', sent.loading, (value) => !value);
  },

  'has the mode of its agent': async (tools) => {
    const { create, setMode, events } = tools;
    const session = await create();
    const { value } = session.mode;
    if (value) expectEqual('id and kind of the mode', [value.id === '', value.kind === ''], [false, false]);
    if (!setMode) return;
    const before = events.length;
    await setMode(session, 'contract-mode');
    const mode = await tools.until('the mode', session.mode, (it) => it?.id === 'contract-mode');
    expectEqual('whether it has a kind', mode !== undefined && mode.kind !== '', true);
    expectEqual('mode of the main chat', session.mainChat.mode.value, mode);
    await tools.untilEvent(
      'changed',
      (event) =>
        event.type === 'changed' && events.indexOf(event) >= before && isListed(event.changed, session.sessionId),
    );
    await setMode(session, undefined);
    await tools.until('no mode', session.mode, (it) => it === undefined);
  },

  "has the time of its last turn's end, which only the end of a turn changes": async (tools) => {
    const { provider, createNew, query } = tools;
    const untitled = await createNew();
    expectEqual('lastTurnEnd of a new session', untitled.lastTurnEnd.value, undefined);
    const session = await provider.sendAndCreateChat(untitled.sessionId, { query });
    const { sessionId, mainChat } = session;
    const end = await ended(tools, session, mainChat);
    expectEqual('whether it is later than updatedAt', end > session.updatedAt.value, false);
    await provider.renameChat(sessionId, mainChat.resource, 'Another name');
    await provider.setRead(sessionId, false);
    await provider.archiveSession(sessionId);
    await provider.unarchiveSession(sessionId);
    await provider.setRead(sessionId, true);
    await tools.until('the title', session.title, (title) => title === 'Another name');
    expectEqual('lastTurnEnd after a rename, an archive and a look', session.lastTurnEnd.value, end);
  },

  'requires trust in its workspace until it is trusted': async (tools) => {
    const { provider, createNew, query, trust } = tools;
    const plain = await createNew();
    expectEqual('type of requiresWorkspaceTrust', typeof plain.workspace.value?.requiresWorkspaceTrust, 'boolean');
    if (!trust) return;
    const untitled = await provider.createNewSession(provider.resolveWorkspace(trust.untrustedUri));
    await tools.until('trust is required', untitled.workspace, (it) => it?.requiresWorkspaceTrust === true);
    const session = await provider.sendAndCreateChat(untitled.sessionId, { query });
    await tools.until('trust is required', session.workspace, (it) => it?.requiresWorkspaceTrust === true);
    await trust.trust(session);
    await tools.until('trust is not required', session.workspace, (it) => it?.requiresWorkspaceTrust === false);
  },

  'derives the fields of a session from several chats': async (tools) => {
    const { provider, create, query } = tools;
    const session = await create();
    if (!session.capabilities.supportsMultipleChats) return;
    const { sessionId, mainChat } = session;
    await ended(tools, session, mainChat);
    await provider.sendAndCreateChat(sessionId, { query });
    const chats = await tools.until('a second chat', session.chats, (value) => value.length === 2);
    const second = chats[1] as Chat;
    await ended(tools, session, second);
    const ofMain = ['title', 'modelId', 'mode', 'isArchived', 'description', 'changes'] as const;
    const ends = () => chats.map((chat) => chat.lastTurnEnd.value?.getTime() ?? 0);
    const check = (when: string) => {
      for (const key of ofMain) expectEqual(`${key} ${when}`, session[key].value, mainChat[key].value);
      const updates = chats.map((chat) => chat.updatedAt.value.getTime());
      expectEqual(`updatedAt ${when}`, session.updatedAt.value.getTime(), Math.max(...updates));
      expectEqual(`lastTurnEnd ${when}`, session.lastTurnEnd.value?.getTime(), Math.max(...ends()));
      const isRead = chats.every((chat) => chat.isRead.value);
      expectEqual(`isRead ${when}`, session.isRead.value, isRead);
      expectEqual(`status ${when}`, session.status.value, statusOf(chats));
    };
    check('with two chats');
    expectEqual('whether the second chat ended last', session.lastTurnEnd.value, second.lastTurnEnd.value);
    const title = session.title.value;
    await provider.renameChat(sessionId, second.resource, 'Not the main chat');
    await tools.until('the title of the second chat', second.title, (value) => value === 'Not the main chat');
    expectEqual('title of the session', session.title.value, title);
    await provider.setRead(sessionId, false);
    await tools.until('unread', session.isRead, (value) => !value);
    check('when unread');
    await provider.setRead(sessionId, true);
    await tools.until('read', session.isRead, (value) => value);
    check('when read');
    await provider.deleteChat(sessionId, mainChat.resource);
    await tools.until('one chat less', session.chats, (value) => value.length === 1);
    const left = [session.mainChat.resource, session.title.value];
    expectEqual('main chat and title afterwards', left, [second.resource, 'Not the main chat']);
  },

  'opens a chat that was sent, and no other': async (tools) => {
    const { provider, create, createNew, query } = tools;
    if (!provider.openChat) return;
    const untitled = await createNew();
    const session = await create();
    for (const resource of [`${session.mainChat.resource}-none`, 'other:x', '', untitled.mainChat.resource]) {
      await expectNoChat(provider, resource);
    }
    const model = provider.openChat(session.mainChat.resource);
    try {
      await model.opened();
      expectEqual('resource and phase', [model.resource, model.phase.value.state], [session.mainChat.resource, 'open']);
      const over = (value: typeof model.state.value) => value?.turns.length === 1 && !value.activeTurn;
      const state = await tools.until('the first turn', model.state, over);
      expectEqual('first message', state?.turns[0]?.userMessage.text, query);
      expectEqual('title', state?.summary.title, session.title.value);
      if (!model.supports.has('submit')) return await expectRejection('a message', () => model.submit(query));
      const id = await model.submit('a second message');
      await tools.until('the second turn', model.state, (value) => value?.turns[1]?.id === id && !value.activeTurn);
      await model.submit('a second message', id);
      expectEqual('turns, one of them sent twice', model.state.value?.turns.length, 2);
    } finally {
      model.dispose();
    }
  },
};

/** Waits until the chat is idle and its turn over; returns when it ended. */
async function ended(tools: ContractTools, session: Session, chat: Chat): Promise<Date> {
  await tools.until('the end of the turn', chat.lastTurnEnd, (value) => value !== undefined);
  await tools.until('rest', session.status, (value) => value === SessionStatus.Completed);
  return chat.lastTurnEnd.value as Date;
}

function statusOf(chats: readonly Chat[]): SessionStatus | undefined {
  const all = chats.map((chat) => chat.status.value);
  return [SessionStatus.NeedsInput, SessionStatus.InProgress].find((status) => all.includes(status)) ?? all[0];
}

/** It may throw at once, or open a model that fails: a host is asked first. */
async function expectNoChat(provider: SessionsProvider, resource: string): Promise<void> {
  await expectRejection(`opening ${JSON.stringify(resource)}`, async () => {
    const model = provider.openChat?.(resource);
    await model?.opened().finally(() => model.dispose());
  });
}
