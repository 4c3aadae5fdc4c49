import { computed, SessionStatus } from '@agenthost/sessions';
import { expectEqual, expectRejection } from './contractTools.js';
import { isListed } from './listingCases.js';
import type { Check } from './providerContract.js';

/** The life of a session. */
export const lifecycleCases: Readonly<Record<string, Check>> = {
  'replaces a new session atomically when its first message is committed': async (tools) => {
    const { provider, events, createNew, query } = tools;
    const from = await createNew();
    const before = events.length;
    const to = await provider.sendAndCreateChat(from.sessionId, { query });
    const [replaced, ...others] = events.filter((event) => event.type === 'replaced');
    expectEqual('further replacements', others.length, 0);
    if (replaced?.type !== 'replaced') throw new Error('onDidReplaceSession was not fired');
    expectEqual('ids', [replaced.from.sessionId, replaced.to.sessionId], [from.sessionId, to.sessionId]);
    const listed = [from, to].map(({ sessionId }) => replaced.listed.includes(sessionId));
    expectEqual('whether old and new were listed at that moment', listed, [from.sessionId === to.sessionId, true]);
    expectEqual('whether it is still Untitled', to.status.value === SessionStatus.Untitled, false);
    expectEqual('chats', to.chats.value.length, 1);
    const announced = events
      .slice(before)
      .flatMap((event) => (event.type === 'changed' ? [...event.added, ...event.removed] : []));
    expectEqual(
      'also announced as added or removed',
      announced.map(({ sessionId }) => sessionId),
      [],
    );
  },

  'creates another chat for a message to an existing session, or refuses': async (tools) => {
    const { provider, create, query } = tools;
    const session = await create();
    const send = () => provider.sendAndCreateChat(session.sessionId, { query });
    if (!session.capabilities.supportsMultipleChats) return expectRejection('a second chat', send);
    const main = session.mainChat.resource;
    const updated = await send();
    expectEqual('id', updated.sessionId, session.sessionId);
    const chats = await tools.until('a second chat', updated.chats, (value) => value.length === 2);
    expectEqual('main chat', [chats[0]?.resource, updated.mainChat.resource], [main, main]);
    expectEqual('listed sessions', provider.getSessions().length, 1);
  },

  'deletes a chat, and with the last one its session': async (tools) => {
    const { provider, create, query } = tools;
    const session = await create();
    const { sessionId } = session;
    if (session.capabilities.supportsMultipleChats) {
      await provider.sendAndCreateChat(sessionId, { query });
      const [, second] = await tools.until('a second chat', session.chats, (value) => value.length === 2);
      await provider.deleteChat(sessionId, second?.resource ?? '');
      await tools.until('one chat less', session.chats, (value) => value.length === 1);
      expectEqual('whether the session is there', isListed(provider.getSessions(), sessionId), true);
    }
    await provider.deleteChat(sessionId, session.mainChat.resource);
    await tools.untilEvent('removed', (event) => event.type === 'changed' && isListed(event.removed, sessionId));
    expectEqual('whether the session is there', isListed(provider.getSessions(), sessionId), false);
  },

  'deletes a session': async (tools) => {
    const { provider, create, createNew } = tools;
    for (const session of [await createNew(), await create()]) {
      const { sessionId } = session;
      await provider.deleteSession(sessionId);
      await tools.untilEvent('removed', (event) => event.type === 'changed' && isListed(event.removed, sessionId));
      expectEqual('whether it is there', isListed(provider.getSessions(), sessionId), false);
      await expectRejection('deleting it again', () => provider.deleteSession(sessionId));
    }
  },

  'renames a chat': async (tools) => {
    const { provider, create, events } = tools;
    const session = await create();
    const before = events.length;
    await provider.renameChat(session.sessionId, session.mainChat.resource, 'Another name');
    await tools.until('the new title', session.title, (title) => title === 'Another name');
    const shown = computed(() => `» ${session.title.value}`);
    const computing = tools.until('what is computed from the title', shown, (title) => title === '» A third name');
    await Promise.all([computing, provider.renameChat(session.sessionId, session.mainChat.resource, 'A third name')]);
    expectEqual('title of the chat', session.mainChat.title.value, 'A third name');
    await tools.untilEvent(
      'changed',
      (event) =>
        event.type === 'changed' && events.indexOf(event) >= before && isListed(event.changed, session.sessionId),
    );
    await expectRejection('renaming a chat that it does not have', () =>
      provider.renameChat(session.sessionId, `${session.mainChat.resource}-none`, 'x'),
    );
  },

  'archives and marks as read, and back': async (tools) => {
    const { provider, create } = tools;
    const session = await create();
    const { sessionId } = session;
    await provider.archiveSession(sessionId);
    await tools.until('archived', session.isArchived, (value) => value);
    await provider.unarchiveSession(sessionId);
    await tools.until('not archived', session.isArchived, (value) => !value);
    await provider.setRead(sessionId, false);
    await tools.until('unread', session.isRead, (value) => !value);
    await provider.setRead(sessionId, true);
    await tools.until('read', session.isRead, (value) => value);
  },

  'changes the type of a new session, and of no other': async (tools) => {
    const { provider, create, createNew } = tools;
    const session = await createNew();
    for (const { id } of provider.getSessionTypes(session.sessionId)) {
      const updated = await provider.setSessionType(session.sessionId, id);
      expectEqual('id and type', [updated.sessionId, updated.sessionType], [session.sessionId, id]);
      const listed = provider.getSessions().find(({ sessionId }) => sessionId === session.sessionId);
      expectEqual('listed type', listed?.sessionType, id);
    }
    await expectRejection('a type that is none', () => provider.setSessionType(session.sessionId, 'no-such-type'));
    const begun = await create();
    const types = provider.getSessionTypes(begun.sessionId).map(({ id }) => id);
    expectEqual('types of a session that has begun', types, [begun.sessionType]);
    const other = provider.sessionTypes.find(({ id }) => id !== begun.sessionType)?.id ?? 'no-such-type';
    await expectRejection('another type', () => provider.setSessionType(begun.sessionId, other));
  },

  'sets the model': async (tools) => {
    const { provider, create, modelId } = tools;
    if (modelId === undefined) return;
    const session = await create();
    await provider.setModel(session.sessionId, modelId);
    await tools.until('the model', session.modelId, (value) => value === modelId);
  },

  'refuses foreign sessions, and changes nothing': async ({ provider, create, query }) => {
    const session = await create();
    const before = [session.title.value, session.isArchived.value, session.isRead.value];
    for (const id of [`${provider.id}:no-such-session`, 'other:x', 'nonsense', '', `${provider.id}:`]) {
      const calls: Readonly<Record<string, () => Promise<unknown>>> = {
        setSessionType: () => provider.setSessionType(id, provider.sessionTypes[0]?.id ?? ''),
        renameChat: () => provider.renameChat(id, session.mainChat.resource, 'x'),
        setModel: () => provider.setModel(id, 'x'),
        archiveSession: () => provider.archiveSession(id),
        unarchiveSession: () => provider.unarchiveSession(id),
        deleteSession: () => provider.deleteSession(id),
        deleteChat: () => provider.deleteChat(id, session.mainChat.resource),
        setRead: () => provider.setRead(id, false),
        sendAndCreateChat: () => provider.sendAndCreateChat(id, { query }),
      };
      for (const [name, call] of Object.entries(calls)) await expectRejection(`${name} of ${JSON.stringify(id)}`, call);
    }
    expectEqual('fields', [session.title.value, session.isArchived.value, session.isRead.value], before);
    expectEqual('listed', provider.getSessions().length, 1);
  },
};
