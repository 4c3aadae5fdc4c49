import { rm } from 'node:fs/promises';
import type { SessionHandle } from '@agenthost/client';
import { AcpAgents } from '@agenthost/host';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stubEntry, stubSession, writeAgents } from '../../support/agents/stubAgent.js';
import { say, textOf } from '../../support/say.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const MS = 30_000;

describe('the reason of a denial', () => {
  let stateDir: string;
  let host: TestHost;
  let session: SessionHandle;
  beforeEach(async () => {
    stateDir = await temporaryFolder();
    await writeAgents(stateDir, { stub: stubEntry(stateDir) });
    host = await startTestHost({ stateDir, agentSources: [new AcpAgents()] });
    session = await stubSession(await host.connect());
  });
  afterEach(async () => {
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
  });

  const asked = async () => {
    const [pending] = await until(session.pendingConfirmations, (open) => open.length > 0, 'the question', MS);
    if (!pending) throw new Error('nobody was asked');
    return pending;
  };
  const ended = async (turns: number) =>
    (await until(session.confirmed, (state) => state.turns.length >= turns, 'the end', MS)).turns.at(-1);

  it('reaches an ACP agent as the next message of the same turn', async () => {
    await session.send('tool rm -r build');
    await (await asked()).deny({ reason: 'Only remove *.o files.' });
    const turn = await ended(1);
    expect(textOf(turn)).toBe(
      'Not run (no).You said: The user did not allow this: Terminal: Running `rm -r build`\nThe reason: Only remove *.o files.',
    );
    expect(turn?.usage).toMatchObject({ inputTokens: 20, outputTokens: 10 });
  });

  it('is not sent when there is none', async () => {
    await session.send('tool rm -r build');
    await (await asked()).deny();
    expect(textOf(await ended(1))).toBe('Not run (no).');
  });

  it('in a turn that the agent began goes with the next message', async () => {
    await say(session, 'ask-late');
    await (await asked()).deny({ reason: 'Not at night.' });
    await until(session.confirmed, (state) => state.turns.length >= 2 && !state.activeTurn, 'the end', MS);
    expect(await say(session, 'blocks')).toContain('The reason: Not at night.');
  });
});

describe('the usage of a turn', () => {
  it("is the difference of the agent's totals, with the size of its context", async () => {
    const stateDir = await temporaryFolder();
    await writeAgents(stateDir, { stub: stubEntry(stateDir) });
    const host = await startTestHost({ stateDir, agentSources: [new AcpAgents()] });
    try {
      const session = await stubSession(await host.connect());
      for (const cost of ['0.5', '0.25']) await say(session, `spend ${cost}`);
      await say(session, 'hello');
      const usages = session.confirmed.value.turns.map(({ usage }) => usage);
      const context = { contextUsed: 1_000, contextSize: 200_000 };
      expect(usages).toEqual([
        { inputTokens: 10, outputTokens: 5, model: 'small', cost: 0.5, ...context },
        { inputTokens: 10, outputTokens: 5, model: 'small', cost: 0.25, ...context },
        { inputTokens: 10, outputTokens: 5, model: 'small' },
      ]);
    } finally {
      await host.dispose();
      await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});
