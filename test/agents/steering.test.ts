import { describe, expect, it } from 'vitest';
import { text, toolCalls } from '../support/modelServer/modelReply.js';
import { textOf } from '../support/say.js';
import { until } from '../support/until.js';
import { ACP_CASES } from './support/acpCases.js';
import { recordCapability } from './support/capabilities.js';
import { PATIENCE_MS } from './support/copilotHost.js';
import { startReportsHost } from './support/reportsHost.js';

const CASES = [
  ['claude', true],
  ['codex', true],
  ['copilot', true],
  ['opencode', false],
  ['gemini', false],
  ['copilot-acp', false],
] as const;

/** A message while a tool runs: in the same turn where the agent takes it, else the next turn. Always once. */
describe('a steering message for a real agent', () => {
  it.each(CASES)('%s takes it into the running turn: %s', async (provider, isLive) => {
    const { model, open } = await startReportsHost(provider);
    const shell = ACP_CASES.find((one) => one.provider === provider)?.shell('sleep 2');
    const call = shell ?? { name: 'bash', input: { command: 'sleep 2', description: 'a test' } };
    model
      .script('wait a little', toolCalls(call), text('Waited.'))
      .script('hurry up', text('I hurry.'))
      .script('what now', text('Nothing.'));
    const session = await open();
    session.pendingConfirmations.subscribe((asked) => {
      for (const one of asked) one.approve().catch(() => {});
    });
    await session.send('wait a little');
    await until(
      session.confirmed,
      ({ activeTurn }) => Object.values(activeTurn?.toolCalls ?? {}).some(({ status }) => status === 'running'),
      'the tool',
      PATIENCE_MS,
    );
    await session.steer('hurry up');
    const ended = await until(
      session.confirmed,
      ({ turns, activeTurn, steeringMessage }) => turns.length >= (isLive ? 1 : 2) && !activeTurn && !steeringMessage,
      'the end',
      PATIENCE_MS,
    );
    const messages = ended.turns.map(({ userMessage, responseParts }) => [
      userMessage.text,
      ...responseParts.flatMap((part) => (part.kind === 'steering' ? [part.userMessage.text] : [])),
    ]);
    expect(messages).toEqual(isLive ? [['wait a little', 'hurry up']] : [['wait a little'], ['hurry up']]);
    expect(ended.turns.map(textOf).join('')).toContain('I hurry.');
    expect(ended.turns.map(({ state }) => state)).toEqual(messages.map(() => 'complete'));
    // What the agent remembers has it once.
    await session.send('what now');
    await until(session.confirmed, ({ turns }) => turns.length > messages.length, 'another turn', PATIENCE_MS);
    const { items } = await model.request(({ prompt, tools }) => prompt.includes('what now') && tools.length > 0);
    expect(items.filter(({ role, text }) => role === 'user' && text.includes('hurry up'))).toHaveLength(1);
    recordCapability(provider, 'steering', isLive ? 'yes' : 'no');
  });
});
