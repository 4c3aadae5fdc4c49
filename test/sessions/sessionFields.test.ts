import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AgentSession, MockAgent, type OpenSessionOptions } from '@agenthost/host';
import type { Session } from '@agenthost/sessions';
import { describe, expect, it } from 'vitest';
import { rawSession } from '../support/testHost.js';
import { until } from '../support/until.js';
import { providerOf, send, testHost } from './support/providers.js';

/** Opens its sessions when the test says so. */
class HeldAgent extends MockAgent {
  readonly release = Promise.withResolvers<void>();

  override async openSession(options: OpenSessionOptions): Promise<AgentSession> {
    await this.release.promise;
    return super.openSession(options);
  }
}

describe('a session of a host', () => {
  it('is loading while another client creates it', async () => {
    const agent = new HeldAgent();
    const test = await testHost({ agents: [agent] });
    const provider = await providerOf(test);
    const added = Promise.withResolvers<Session>();
    provider.onDidChangeSessions((event) => event.added[0] && added.resolve(event.added[0]));
    const alice = await test.raw('alice');
    await alice.request('createSession', { session: 'mock:/one' });
    const session = await added.promise;
    expect(session.loading.value).toBe(true);
    agent.release.resolve();
    await until(session.loading, (value) => !value, 'the end of loading');
  });

  it('is loading while its conversation is opened for the first time, and not when that failed', async () => {
    const test = await testHost();
    await rawSession([await test.raw('alice')]);
    const provider = await providerOf(test);
    const [session] = provider.getSessions();
    if (!session) throw new Error('no session');
    expect(session.loading.value).toBe(false);
    const model = provider.openChat(session.mainChat.resource);
    expect(session.loading.value).toBe(true);
    await model.opened();
    await until(session.loading, (value) => !value, 'the end of loading');
    const again = provider.openChat(session.mainChat.resource);
    expect(session.loading.value).toBe(false);
    for (const one of [model, again]) one.dispose();
  });

  it('is no longer loading when opening it was cancelled', async () => {
    const test = await testHost();
    await rawSession([await test.raw('alice')]);
    const provider = await providerOf(test);
    const [session] = provider.getSessions();
    if (!session) throw new Error('no session');
    const model = provider.openChat(session.mainChat.resource);
    model.dispose();
    await until(session.loading, (value) => !value, 'the end of loading');
  });

  it('has the end of its last turn without being opened, not the time of its last change', async () => {
    // A clock that moves with each look at it: both times could be in one millisecond.
    let now = Date.now();
    const test = await testHost({ now: () => ++now });
    const alice = await test.raw('alice');
    const uri = await rawSession([alice]);
    alice.dispatch({ session: uri, type: 'session/turnStarted', turnId: 't', userMessage: { text: 'hello' } });
    const { at } = await alice.nextAction(uri, 'session/turnComplete');
    await alice.act({ session: uri, type: 'session/turnStarted', turnId: 'u', userMessage: { text: 'hang' } });
    const provider = await providerOf(test);
    const [session] = provider.getSessions();
    expect(session?.lastTurnEnd.value?.getTime()).toBe(at);
    expect((session?.updatedAt.value.getTime() ?? 0) > at).toBe(true);
  });

  it('has its mode with its name from the list', async () => {
    const test = await testHost();
    const provider = await providerOf(test);
    const session = await send(provider, 'mode plan Planning');
    const mode = await until(session.mode, (value) => value !== undefined, 'the mode');
    expect(mode).toEqual({ kind: 'agent', id: 'plan', name: 'Planning' });
    expect(session.mode.value).toBe(mode);
    const [listed] = (await providerOf(test, { id: 'another' })).getSessions();
    expect(listed?.mode.value).toEqual(mode);
  });

  it('says before it is sent whether the chosen agent will ask for trust', async () => {
    const test = await testHost();
    const folder = join(test.stateDir, 'project');
    await mkdir(folder);
    await writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { tools: { command: 'true' } } }));
    const provider = await providerOf(test);
    const uri = pathToFileURL(folder).href;
    expect(provider.resolveWorkspace(uri).requiresWorkspaceTrust).toBe(true);
    const mock = await provider.createNewSession(provider.resolveWorkspace(uri));
    const shell = await provider.setSessionType(mock.sessionId, 'shell');
    await until(shell.workspace, (it) => it?.requiresWorkspaceTrust === false, 'a shell needs none');
    const again = await provider.setSessionType(mock.sessionId, 'mock');
    await until(again.workspace, (it) => it?.requiresWorkspaceTrust === true, 'the mock agent does');
  });
});
