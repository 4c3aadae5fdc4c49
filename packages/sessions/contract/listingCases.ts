import { isProviderId, parseSessionId, type Session, SessionStatus } from '@agenthost/sessions';
import { expectEqual } from './contractTools.js';
import type { Check } from './providerContract.js';

/** Its identity, its list, and the form of its sessions. */
export const listingCases: Readonly<Record<string, Check>> = {
  'has an identity': async ({ provider }) => {
    expectEqual(`whether ${JSON.stringify(provider.id)} can be an id`, isProviderId(provider.id), true);
    expectEqual('whether it has a label', provider.label.trim() !== '', true);
    expectEqual('whether it has session types', provider.sessionTypes.length > 0, true);
    const types = provider.sessionTypes.map(({ id }) => id);
    expectEqual('session types', types, [...new Set(types)]);
    for (const action of provider.browseActions) {
      expectEqual('providerId of a browse action', action.providerId, provider.id);
    }
  },

  'resolves a workspace to a label': async ({ provider, workspaceUri }) => {
    const workspace = provider.resolveWorkspace(workspaceUri);
    expectEqual('whether the label says something', workspace.label.trim() !== '', true);
    expectEqual('the label, asked again', provider.resolveWorkspace(workspaceUri).label, workspace.label);
  },

  'gives its sessions unique ids with its own prefix': async ({ provider, createNew, create }) => {
    const sessions = [await createNew(), await create(), await create()];
    for (const { sessionId, providerId } of sessions) {
      expectEqual('providerId', [providerId, parseSessionId(sessionId).providerId], [provider.id, provider.id]);
    }
    const listed = provider.getSessions();
    expectEqual('ids', new Set(listed.map(({ sessionId }) => sessionId)).size, listed.length);
    expectEqual('resources', new Set(listed.map(({ resource }) => resource)).size, listed.length);
    for (const { sessionId } of sessions.slice(1)) {
      expectEqual(`whether ${sessionId} is listed`, isListed(provider.getSessions(), sessionId), true);
    }
  },

  'announces a new session when it is listed': async ({ provider, events, createNew }) => {
    const session = await createNew();
    expectEqual('whether it is listed', isListed(provider.getSessions(), session.sessionId), true);
    const announced = events.flatMap((event) => (event.type === 'changed' ? event.added : []));
    expectEqual(
      'announced',
      announced.map(({ sessionId }) => sessionId),
      [session.sessionId],
    );
  },

  'creates a session as Untitled, with one chat': async ({ createNew, workspaceUri, provider }) => {
    const session = await createNew();
    expectEqual('status', session.status.value, SessionStatus.Untitled);
    expectEqual('chats', session.chats.value.length, 1);
    expectEqual('whether mainChat is the first', session.chats.value[0] === session.mainChat, true);
    expectEqual('workspace', session.workspace.value?.label, provider.resolveWorkspace(workspaceUri).label);
  },

  'derives the fields of a session from its chats': async ({ create }) => {
    const session = await create();
    const { mainChat, chats } = session;
    const ofMain = ['title', 'modelId', 'mode', 'isArchived', 'description', 'changes'] as const;
    for (const key of ofMain) expectEqual(key, session[key].value, mainChat[key].value);
    const times = chats.value.map((chat) => chat.updatedAt.value.getTime());
    expectEqual('updatedAt', session.updatedAt.value.getTime(), Math.max(...times));
    expectEqual(
      'isRead',
      session.isRead.value,
      chats.value.every((chat) => chat.isRead.value),
    );
    expectEqual('status', session.status.value, mainChat.status.value);
  },

  'keeps the reference of a value that did not change': async ({ create }) => {
    const session = await create();
    const keys = ['workspace', 'updatedAt', 'lastTurnEnd', 'changes', 'chats', 'gitHubInfo'] as const;
    for (const key of keys) {
      const first: unknown = session[key].value;
      expectEqual(`whether ${key} is the same object`, Object.is(session[key].value, first), true);
    }
  },

  'survives a listener that throws, and does not call a disposed one': async (tools) => {
    const { provider, createNew } = tools;
    let calls = 0;
    const fail = provider.onDidChangeSessions(() => {
      throw new Error('a listener of the contract suite that throws on purpose');
    });
    const disposed = provider.onDidChangeSessions(() => {
      calls++;
    });
    disposed.dispose();
    disposed.dispose();
    try {
      const session = await createNew();
      await tools.untilEvent('added', (event) => event.type === 'changed' && isListed(event.added, session.sessionId));
      expectEqual('calls of a disposed listener', calls, 0);
    } finally {
      fail.dispose();
    }
  },
};

export function isListed(sessions: readonly Session[], sessionId: string): boolean {
  return sessions.some((session) => session.sessionId === sessionId);
}
