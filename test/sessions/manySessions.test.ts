import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createHostClient } from '@agenthost/client';
import { createSessionState } from '@agenthost/protocol';
import { AgentHostProvider, SessionsListModel } from '@agenthost/sessions';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SqliteSessionIndex } from '../../packages/host/src/sessionIndex/sqliteSessionIndex.js';
import { until } from '../support/until.js';
import { countingTransport } from './support/countingTransport.js';
import { event, folderOfTest, manage, testHost } from './support/providers.js';

describe('10,000 sessions of a host', () => {
  it('are listed by pages, without a subscription for any of them', async () => {
    const stateDir = await folderOfTest();
    // Before the index: one that is older than the folder of the sessions is looked through at the start.
    await mkdir(join(stateDir, 'session-state'));
    const index = new SqliteSessionIndex(join(stateDir, 'index.sqlite'));
    for (let n = 0; n < 10_000; n++) {
      const resource = `mock:/s${n}`;
      const metadata = { workingDirectoryPath: `/src/project-${n % 40}` };
      const { summary } = createSessionState({
        resource,
        provider: 'mock',
        createdAt: n,
        title: `Session ${n}`,
        metadata,
      });
      index.put({ ...summary, modifiedAt: 1_000_000 + n });
    }
    index.markFilled();
    index.close();
    const test = await testHost({ stateDir });
    const { transport, methods } = countingTransport(test.url, test.token);
    const host = createHostClient({ transport });
    onTestFinished(() => host.close());
    const provider = new AgentHostProvider(host, { pageSize: 100 });
    const service = manage(provider);
    const list = new SessionsListModel(service);
    await event(service, ({ added }) => added.length > 0);
    expect([list.sessionCount, list.groups.length]).toEqual([100, 40]);
    await until(provider.isLoadingSessions, (isLoading) => !isLoading);
    await service.loadMoreSessions();
    expect([list.sessionCount, provider.getSessions()[0]?.title.value]).toEqual([200, 'Session 9999']);
    expect(methods.filter((method) => method !== 'ping')).toEqual(['initialize', 'listSessions', 'listSessions']);
    while (provider.hasMoreSessions.value) await service.loadMoreSessions();
    expect(list.sessionCount).toBe(10_000);
    expect(methods).not.toContain('subscribe');
  });
});
