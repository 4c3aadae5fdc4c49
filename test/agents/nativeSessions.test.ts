import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EventRecorder } from '../../packages/host/contract/eventRecorder.js';
import { AcpAgent } from '../../packages/host/src/agents/acp/acpAgent.js';
import { memorySessionFs } from '../../packages/host/test/agents/support/memorySessionFs.js';
import { textOf } from '../support/say.js';
import { ACP_CASES, type AcpCase, nextMinute, specOf } from './support/acpCases.js';
import { agentEnv } from './support/agentCase.js';
import { recordCapability } from './support/capabilities.js';
import { PATIENCE_MS } from './support/copilotHost.js';
import { AGENTS_FOLDER } from './support/installAgents.js';
import { ended, type NativeWorld, nativeWorld, noticesOf, rest } from './support/nativeWorld.js';

/** A program outside of the host that uses the agent's store: the agent itself, as another client of it starts it. */
async function outside(agentCase: AcpCase, { home, cwd, env }: NativeWorld) {
  const agent = new AcpAgent({
    spec: specOf(agentCase),
    stateDir: dirname(AGENTS_FOLDER),
    hostEnv: {},
    startTimeoutMs: PATIENCE_MS,
  });
  onTestFinished(() => agent.dispose());
  const open = async (resume?: string) => {
    const session = await agent.openSession({
      sessionId: 'outside',
      cwd,
      sessionFs: memorySessionFs(),
      customizations: [],
      config: {},
      env: { ...agentEnv(home), ...env },
      signal: new AbortController().signal,
      ...(resume !== undefined && { resume }),
    });
    const recorder = new EventRecorder(session, PATIENCE_MS);
    let turns = 0;
    const say = async (message: string) => {
      const before = recorder.text().length;
      await session.send({ text: message });
      expect((await recorder.end(++turns)).type).toBe('idle');
      return recorder.text().slice(before);
    };
    return { session, say };
  };
  return { open };
}

async function world(agentCase: AcpCase) {
  const all = await nativeWorld(agentCase);
  return { ...all, terminal: await outside(agentCase, all) };
}

describe.each(ACP_CASES)('a conversation of $provider from a terminal', (agentCase) => {
  it('is listed, read, continued here, and continued outside with what was said here', {
    timeout: 400_000,
  }, async () => {
    const { home, client, terminal } = await world(agentCase);
    const first = await terminal.open();
    await first.say('the number is 4711');
    const { nativeSessionId = '' } = first.session;
    await first.session.dispose();
    const { items } = await client.native.list();
    expect(items).toMatchObject([{ provider: agentCase.provider }]);
    const [item] = items;
    if (!item) throw new Error('nothing is listed');
    expect(item.command).toContain(nativeSessionId);
    const { turns } = await client.native.fetchTurns(item.id, { limit: 10 });
    expect(turns.map(({ userMessage }) => userMessage.text)).toEqual(['the number is 4711']);
    recordCapability(agentCase.provider, 'nativeRead', 'yes');
    // What the SDK keeps is in the folder of its session, so that there is nothing to list.
    if (agentCase.provider === 'copilot-acp') {
      for (const capability of ['nativeRead', 'nativeContinue'] as const) {
        recordCapability('copilot', capability, 'no', 'Copilot CLI has them');
      }
    }
    // Somebody has just used it.
    const uri = `${agentCase.provider}:/${crypto.randomUUID()}`;
    await expect(client.native.continue(item.id, uri)).rejects.toMatchObject({ data: { code: 'nativeSessionBusy' } });
    if (agentCase.forgetsTheMinute) await nextMinute();
    await rest(home);
    await expect
      .poll(() => client.native.continue(item.id, uri).then(() => 'done', String), { timeout: 30_000, interval: 500 })
      .toBe('done');
    const session = await client.openSession(uri);
    const told = await ended(session, 'the colour is blue', 2);
    expect(told?.state).toBe('complete');
    // Agents have notices of their own.
    expect(noticesOf(told).filter((notice) => /terminal|new conversation/.test(notice))).toEqual([]);
    expect(textOf(await ended(session, 'which number', 3))).toContain('It was 4711, blue,');
    // The same conversation, in the same place.
    const after = await client.native.fetchTurns(item.id, { limit: 10 });
    expect(after.turns.map(({ userMessage }) => userMessage.text)).toEqual([
      'the number is 4711',
      'the colour is blue',
      'which number',
    ]);
    session.dispose();
    await client.disposeSession(uri);
    if (agentCase.forgetsTheMinute) await nextMinute();
    const second = await terminal.open(nativeSessionId);
    expect(second.session.nativeSessionId).toBe(nativeSessionId);
    expect(await second.say('which number')).toContain('It was 4711, blue,');
    recordCapability(agentCase.provider, 'nativeContinue', 'yes');
  });
});

// Claude Code takes no lock. Codex and Copilot CLI refuse a second program by themselves, and opencode reads its database each time.
it('what is said to Claude Code in a terminal meanwhile is refused, then read again and told', {
  timeout: 400_000,
}, async () => {
  const agentCase = ACP_CASES.find(({ provider }) => provider === 'claude') as AcpCase;
  const { home, client, terminal } = await world(agentCase);
  const first = await terminal.open();
  await first.say('the number is 4711');
  const { nativeSessionId = '' } = first.session;
  await first.session.dispose();
  await rest(home);
  const uri = `claude:/${crypto.randomUUID()}`;
  await client.native.continue(`claude/${nativeSessionId}`, uri);
  const session = await client.openSession(uri);
  expect((await ended(session, 'the colour is blue', 2))?.state).toBe('complete');
  const second = await terminal.open(nativeSessionId);
  await second.say('said in a terminal');
  const refused = await ended(session, 'which number', 3);
  expect(refused?.error).toMatchObject({
    errorType: 'nativeSessionBusy',
    message: expect.stringContaining('said in a'),
  });
  await second.session.dispose();
  // Refused until it has been quiet there for some seconds.
  let answered = refused;
  for (let turns = 4; answered?.error?.errorType === 'nativeSessionBusy'; turns++) {
    await delay(2_000);
    answered = await ended(session, 'which number', turns);
  }
  expect(answered?.error).toBeUndefined();
  expect(noticesOf(answered).join()).toContain('continued in a terminal with "said in a terminal"');
  expect(textOf(answered)).toContain('It was 4711, blue, said in a terminal.');
});
