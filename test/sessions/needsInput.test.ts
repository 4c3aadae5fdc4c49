import {
  AgentHostProvider,
  NeedsInput,
  SessionsManagementService,
  SessionsProvidersService,
} from '@agenthost/sessions';
import { expect, it } from 'vitest';
import { startTestHost } from '../support/testHost.js';
import { until } from '../support/until.js';

it('open questions are in one tray, over two hosts, until any client answers them', async () => {
  const hosts = [await startTestHost(), await startTestHost()];
  const registry = new SessionsProvidersService();
  const service = new SessionsManagementService(registry);
  const providers = await Promise.all(
    hosts.map(async (test, index) => new AgentHostProvider(await test.connect(), { name: `host-${index}` })),
  );
  for (const provider of providers) registry.registerProvider(provider);
  const tray = new NeedsInput(registry, service);
  try {
    for (const query of ['permission', 'hello']) {
      for (const provider of providers) {
        const untitled = await service.createNewSession(provider.id, provider.resolveWorkspace('file:///tmp'));
        await service.sendAndCreateChat(untitled, { query });
      }
    }
    const waiting = await until(tray.waiting, (list) => list.length === 2, 'both prompts');
    expect(tray.count.value).toBe(2);
    expect(waiting.map(({ session }) => session.providerId)).toEqual(['agenthost-host-1', 'agenthost-host-0']);
    const [second, first] = waiting;
    if (!first) throw new Error('nothing waits');
    const [permission] = await until(first.model.permissions, (list) => list.length > 0, 'the question');
    await permission?.answer({ approved: true });
    expect((await until(tray.waiting, (list) => list.length === 1, 'one prompt'))[0]).toBe(second);
    // Another client answers the other one.
    const uri = second?.chat.resource.slice('agenthost-host-1:'.length) ?? '';
    const other = await (await hosts[1]?.connect({ clientInfo: { name: 'Mira', device: 'iPhone' } }))?.openSession(uri);
    await other?.pendingPermissions.value[0]?.answer({ approved: false });
    await until(tray.count, (count) => count === 0, 'nothing');
    expect(tray.waiting.value).toEqual([]);
    // Both answers stay, the newest first, with who gave them.
    const answered = await until(tray.answered, (list) => list.length === 2, 'both answers');
    expect(answered.map(({ kind, session, answer }) => [kind, session.providerId, answer.approved])).toEqual([
      ['permission', 'agenthost-host-1', false],
      ['permission', 'agenthost-host-0', true],
    ]);
    expect(answered[0]?.answer.by).toMatchObject({ name: 'Mira', device: 'iPhone' });
  } finally {
    tray.dispose();
    for (const provider of providers) provider.dispose();
    for (const test of hosts) await test.dispose();
  }
});
