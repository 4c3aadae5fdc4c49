import { type Session, SessionsListModel } from '@agenthost/sessions';
import { describe, expect, it } from 'vitest';
import type { TestHost } from '../support/testHost.js';
import { until } from '../support/until.js';
import { manage, providerOf, send, testHost } from './support/providers.js';

describe('several hosts at once', () => {
  it('are one list, and each session is driven on its own host', async () => {
    const [one, two] = [await testHost(), await testHost()];
    const [local, remote] = [await providerOf(one), await providerOf(two, { name: 'dev-box' })];
    expect([local.id, remote.id, remote.label]).toEqual(['agenthost-local', 'agenthost-dev-box', 'dev-box']);
    const service = manage(local, remote);
    const list = new SessionsListModel(service);
    const here = await send(local, 'hello');
    const there = await send(remote, 'hello');
    expect(there.workspace.value?.label).toMatch(/ \[dev-box\]$/);
    expect([list.sessionCount, list.groups.length]).toEqual([2, 2]);
    await service.renameChat(there, there.mainChat.resource, 'Renamed');
    expect([here.title.value, there.title.value]).toEqual(['hello', 'Renamed']);
    const titles = async (test: TestHost) =>
      (await (await test.connect()).listSessions()).items.map(({ title }) => title);
    expect([await titles(one), await titles(two)]).toEqual([['hello'], ['Renamed']]);
    await service.deleteSession(here);
    expect([await titles(one), await titles(two)]).toEqual([[], ['Renamed']]);
  });

  it('show where a session lives when it says so, whichever of them tells of it', async () => {
    const [one, two] = [await testHost(), await testHost()];
    const metadata = { remoteAgentHost: 'north', workingDirectoryPath: '/src/project' };
    for (const test of [one, two]) {
      const raw = await test.raw('a');
      await raw.request('createSession', { session: 'mock:/placed', metadata });
    }
    const service = manage(await providerOf(one), await providerOf(two, { name: 'dev-box' }));
    const workspaces = service.getSessions().map(({ workspace }) => workspace.value);
    expect(workspaces.map((shown) => shown?.label)).toEqual(['project [north]', 'project [north]']);
    expect(workspaces.map((shown) => shown?.icon)).toEqual(['remote', 'remote']);
  });

  it('with the same session on both are told apart', async () => {
    const [one, two] = [await testHost(), await testHost()];
    for (const test of [one, two]) await (await test.raw('a')).request('createSession', { session: 'mock:/same' });
    const [local, remote] = [await providerOf(one), await providerOf(two, { name: 'b' })];
    const service = manage(local, remote);
    const sessions = service.getSessions();
    expect(sessions.map(({ resource }) => resource)).toEqual(['agenthost-local:mock:/same', 'agenthost-b:mock:/same']);
    await service.archiveSession(sessions[1] as Session);
    expect(sessions.map(({ isArchived }) => isArchived.value)).toEqual([false, true]);
  });

  it('an unreachable one does not affect the other', async () => {
    const [one, two] = [await testHost(), await testHost()];
    const [local, remote] = [await providerOf(one), await providerOf(two, { name: 'b' })];
    const service = manage(local, remote);
    const there = await send(remote);
    await two.host.close();
    await until(remote.status.connection, ({ state }) => state === 'reconnecting', 'the loss');
    expect(remote.status.staleSince.value).toBeTypeOf('number');
    const here = await send(local, 'hello');
    await service.setRead(here, false);
    expect(service.getSessions()).toEqual([here, there]);
  });
});
