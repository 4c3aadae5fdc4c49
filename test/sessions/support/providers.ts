import { rm } from 'node:fs/promises';
import {
  AgentHostProvider,
  type Session,
  type SessionsChangeEvent,
  SessionsManagementService,
  SessionsProvidersService,
} from '@agenthost/sessions';
import { onTestFinished } from 'vitest';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

export async function testHost(...args: Parameters<typeof startTestHost>): Promise<TestHost> {
  const test = await startTestHost(...args);
  onTestFinished(() => test.dispose());
  return test;
}

export async function folderOfTest(): Promise<string> {
  const folder = await temporaryFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function providerOf(test: TestHost, options: ConstructorParameters<typeof AgentHostProvider>[1] = {}) {
  const provider = new AgentHostProvider(await test.connect(), options);
  onTestFinished(() => provider.dispose());
  await until(provider.isLoadingSessions, (isLoading) => !isLoading, 'the list');
  return provider;
}

export function manage(...providers: AgentHostProvider[]) {
  const registry = new SessionsProvidersService();
  for (const provider of providers) registry.registerProvider(provider);
  return new SessionsManagementService(registry);
}

/** A session on that host, made through the layer. */
export async function send(provider: AgentHostProvider, query = 'hello'): Promise<Session> {
  const workspace = provider.resolveWorkspace(provider.folders.home ?? '');
  const { sessionId } = await provider.createNewSession(workspace);
  return provider.sendAndCreateChat(sessionId, { query });
}

/** Resolves with the first event that fits. */
export function event(
  source: { onDidChangeSessions: AgentHostProvider['onDidChangeSessions'] },
  fits: (event: SessionsChangeEvent) => boolean,
): Promise<SessionsChangeEvent> {
  const { promise, resolve } = Promise.withResolvers<SessionsChangeEvent>();
  const following = source.onDidChangeSessions((change) => {
    if (!fits(change)) return;
    following.dispose();
    resolve(change);
  });
  return promise;
}
