import { rm } from 'node:fs/promises';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { AcpAgents } from '@agenthost/host';
import type { AgentInfo, RootState } from '@agenthost/protocol';
import { startTestHost, type TestHost, temporaryFolder } from '../testHost.js';
import { stubEntry, writeAgents } from './stubEntry.ts';

export { STUB, stubEntry, writeAgents } from './stubEntry.ts';

/** Two ACP agents: `moded` offers modes, `plain` offers none. */
export async function writeStubAgents(stateDir: string): Promise<void> {
  await writeAgents(stateDir, {
    moded: stubEntry(stateDir, {}, { name: 'Moded' }),
    plain: stubEntry(stateDir, { STUB_CHOICES: 'none' }, { name: 'Plain' }),
  });
}

/** A session of the stub that is ready. */
export async function stubSession(client: HostClient): Promise<SessionHandle> {
  const session = await client.createSession({ provider: 'stub' });
  await session.ready();
  return session;
}

/** What clients are told of an agent. */
export function agentInfo({ agents }: RootState, provider: string): AgentInfo | undefined {
  return agents.find((agent) => agent.provider === provider);
}

export interface StubHost {
  readonly host: TestHost;
  readonly session: SessionHandle;
  dispose(): Promise<void>;
}

/** A host with the stub agent, and a session of it. `dispose` removes everything that it leaves. */
export async function startStubHost(): Promise<StubHost> {
  const stateDir = await temporaryFolder();
  await writeAgents(stateDir, { stub: stubEntry(stateDir) });
  const host = await startTestHost({ stateDir, agentSources: [new AcpAgents()] });
  return {
    host,
    session: await stubSession(await host.connect()),
    async dispose() {
      await host.dispose();
      await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
