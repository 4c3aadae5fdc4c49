import { join } from 'node:path';
import { AcpAgents, CopilotAgent, ShellAgent } from '@agenthost/host';
import type { SessionState } from '@agenthost/protocol';
import { type AgentHostProvider, type ChatModel, type Session, SessionStatus } from '@agenthost/sessions';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stubEntry, writeAgents } from '../support/agents/stubAgent.js';
import type { TestHost } from '../support/testHost.js';
import { until } from '../support/until.js';
import { folderOfTest, providerOf, testHost } from './support/providers.js';

/** A host with every kind of real agent: the shell, Copilot, known ACP agents, and a stub that speaks ACP and can run here. */
async function hostWithAgents(): Promise<TestHost> {
  const stateDir = await folderOfTest();
  await writeAgents(stateDir, { stub: stubEntry(stateDir) });
  const agents = [new ShellAgent(), new CopilotAgent({ agentsFolder: join(stateDir, 'agents') })];
  return testHost({ stateDir, agents, agentSources: [new AcpAgents()] });
}

async function begin(provider: AgentHostProvider, type: string, query: string): Promise<Session> {
  const workspace = provider.resolveWorkspace(provider.folders.home ?? '');
  const { sessionId } = await provider.createNewSession(workspace);
  await provider.setSessionType(sessionId, type);
  return provider.sendAndCreateChat(sessionId, { query });
}

function opened(provider: AgentHostProvider, { resource }: { readonly resource: string }): ChatModel {
  const chat = provider.openChat(resource);
  onTestFinished(() => chat.dispose());
  return chat;
}

/** Allows its questions, like a user. */
function allowing(provider: AgentHostProvider, chat: { readonly resource: string }): ChatModel {
  const model = opened(provider, chat);
  const allow = () => {
    for (const prompt of model.confirmations.value) prompt.approve().catch(() => {});
  };
  const watching = model.confirmations.subscribe(allow);
  onTestFinished(() => watching.dispose());
  void model.opened().then(allow);
  return model;
}

const ended = (chat: ChatModel, count: number) =>
  until(
    chat.confirmed,
    (state) => state?.turns.length === count && !state.activeTurn,
    `${count} turns`,
    30_000,
  ) as Promise<SessionState>;

const lastTurn = (state: SessionState) => JSON.stringify(state.turns.at(-1));

describe('several chats in a session', () => {
  it('are supported by every agent', async () => {
    const test = await hostWithAgents();
    const { agents } = (await test.connect()).root.state.value;
    expect(agents.map(({ provider }) => provider)).toEqual(
      expect.arrayContaining(['shell', 'copilot', 'claude', 'codex', 'gemini', 'opencode', 'stub']),
    );
    expect(agents.filter(({ supportsMultipleChats }) => supportsMultipleChats !== true)).toEqual([]);
    const provider = await providerOf(test);
    const untitled = await provider.createNewSession(provider.resolveWorkspace(provider.folders.home ?? ''));
    for (const { id } of provider.sessionTypes) {
      const { capabilities } = await provider.setSessionType(untitled.sessionId, id);
      expect([id, capabilities.supportsMultipleChats]).toEqual([id, true]);
    }
  });

  it('run in parallel in the same folder with the shell', async () => {
    const provider = await providerOf(await hostWithAgents());
    // It ends when the other chat has done its part.
    const waits = 'until [ -e go ]; do sleep 0.02; done; echo the first went on';
    const session = await begin(provider, 'shell', waits);
    const { sessionId } = session;
    expect(
      await provider.sendAndCreateChat(sessionId, { query: 'touch go; export mine=2; echo "second: $mine"' }),
    ).toBe(session);
    expect(provider.getSessions()).toEqual([session]);
    const [first, second] = session.chats.value.map((chat) => allowing(provider, chat));
    if (!first || !second) throw new Error('two chats');
    expect(lastTurn(await ended(first, 1))).toContain('the first went on');
    expect(lastTurn(await ended(second, 1))).toContain('second: 2');
    const folders = [first, second].map(({ confirmed }) => confirmed.value?.summary.workingDirectory);
    expect(new Set(folders).size).toBe(1);
    // Each has a shell of its own.
    await Promise.all([first.submit('echo "here: [$mine]"'), second.submit('echo "here: [$mine]"')]);
    expect(lastTurn(await ended(first, 2))).toContain('here: []');
    expect(lastTurn(await ended(second, 2))).toContain('here: [2]');
  });

  it('run in parallel with an ACP agent, and ask independently', async () => {
    const provider = await providerOf(await hostWithAgents());
    const session = await begin(provider, 'stub', 'hello there');
    await provider.sendAndCreateChat(session.sessionId, { query: 'hello again' });
    const [first, second] = session.chats.value.map((chat) => opened(provider, chat));
    if (!first || !second) throw new Error('two chats');
    expect(lastTurn(await ended(first, 1))).toContain('You said: hello there');
    expect(lastTurn(await ended(second, 1))).toContain('You said: hello again');
    await Promise.all([first.submit('tool ls'), second.submit('tool ls')]);
    const asked = (chat: ChatModel) =>
      until(chat.confirmations, (prompts) => prompts.length === 1, 'a question', 30_000);
    const [[one], [two]] = await Promise.all([asked(first), asked(second)]);
    await until(session.status, (status) => status === SessionStatus.NeedsInput, 'NeedsInput');
    await one?.approve();
    await ended(first, 2);
    expect(second.confirmations.value).toEqual([two]);
    await two?.deny();
    await ended(second, 2);
    await first.submit('recall');
    expect(lastTurn(await ended(first, 3))).not.toContain('hello again');
  });

  it.each(['shell', 'stub'])('of %s are deleted one by one, and the session with the last', async (type) => {
    const test = await hostWithAgents();
    const provider = await providerOf(test);
    const session = await begin(provider, type, 'echo one');
    const { sessionId } = session;
    for (const text of ['two', 'three']) await provider.sendAndCreateChat(sessionId, { query: `echo ${text}` });
    const [one, two, three] = session.chats.value;
    if (!one || !two || !three) throw new Error('three chats');
    await ended(allowing(provider, two), 1);
    await provider.deleteChat(sessionId, three.resource);
    expect(session.chats.value).toEqual([one, two]);
    // The one that the session is named after.
    await provider.deleteChat(sessionId, one.resource);
    expect([session.chats.value, session.mainChat, provider.getSessions()]).toEqual([[two], two, [session]]);
    const left = allowing(provider, two);
    await left.submit('echo still here');
    expect(lastTurn(await ended(left, 2))).toContain('still here');
    const again = await provider.sendAndCreateChat(sessionId, { query: 'echo four' });
    expect([again, session.chats.value.length]).toEqual([session, 2]);
    // A later client sees the same session.
    const other = await providerOf(test, { name: 'other' });
    expect(other.getSessions().map(({ chats }) => chats.value.length)).toEqual([2]);
    for (const { resource } of session.chats.value) await provider.deleteChat(sessionId, resource);
    expect(provider.getSessions()).toEqual([]);
    expect((await (await test.connect()).listSessions()).items).toEqual([]);
  });
});
