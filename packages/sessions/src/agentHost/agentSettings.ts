import type { HostClient } from '@agenthost/client';
import type { SessionSetting } from '@agenthost/protocol';

/**
 * What the agent lets users choose in a session, as its newest session says it: an agent says it only there. Empty for an agent without
 * a session. The values are those of that session and no defaults: a mode that does not ask must not carry over.
 */
export async function settingsOfAgent(
  host: Pick<HostClient, 'listSessions' | 'openSession'>,
  provider: string,
): Promise<readonly SessionSetting[]> {
  const { items } = await host.listSessions({ filter: { provider }, limit: 1 });
  if (!items[0]) return [];
  const session = await host.openSession(items[0].resource, { turns: 1 });
  try {
    return session.confirmed.value.settings ?? [];
  } finally {
    session.close();
  }
}

/** Chosen before the first message. Rejects when the agent does not offer a value any more: the message is not sent then. */
export async function chooseSettings(
  session: Awaited<ReturnType<HostClient['openSession']>>,
  chosen: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [id, value] of Object.entries(chosen)) {
    const setting = session.confirmed.value.settings?.find((one) => one.id === id);
    if (!setting?.values.some((one) => one.id === value)) {
      const name = setting?.name ?? id;
      throw new Error(`The agent does not offer ${name}: ${value} in this session. Choose another one, or none.`);
    }
    if (setting.value !== value) await session.chooseSetting(id, value);
  }
}
