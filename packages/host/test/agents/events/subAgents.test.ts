import type { ToolCallStart } from '@agenthost/protocol';
import { MAX_CALL_DEPTH } from '@agenthost/protocol/internal';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../src/agents/agent.js';
import { AgentEventMapper } from '../../../src/agents/events/agentEventMapper.js';

const base = (toolCallId: string, parentToolCallId?: string) => ({
  toolCallId,
  toolName: 't',
  displayName: 'Tool',
  invocationMessage: `Doing ${toolCallId}`,
  ...(parentToolCallId !== undefined && { parentToolCallId }),
});
const start = (toolCallId: string, parent?: string): AgentEvent => ({
  type: 'toolStart',
  toolCall: { ...base(toolCallId, parent), status: 'running', confirmed: { how: 'notNeeded' } },
});
const asks = (toolCallId: string, parent?: string): AgentEvent => ({
  type: 'toolStart',
  toolCall: { ...base(toolCallId, parent), status: 'pendingConfirmation', confirmation: { title: 'Run it?' } },
});
const ended = (toolCallId: string): AgentEvent => ({
  type: 'toolComplete',
  toolCallId,
  result: { success: true, pastTenseMessage: 'Did it' },
});

/** The calls as they are announced to clients. */
function announced(...events: AgentEvent[]): ToolCallStart[] {
  const mapper = new AgentEventMapper({ turnId: 't1' });
  return events
    .flatMap((event) => mapper.map(event).actions)
    .flatMap((action) => (action.type === 'session/toolStart' ? [action.toolCall] : []));
}
const parents = (...events: AgentEvent[]) =>
  announced(...events).map(({ toolCallId, parentToolCallId }) => [toolCallId, parentToolCallId]);

describe('[TOOL10] calls of sub-agents', () => {
  it('name the call that started the sub-agent, also after its end', () => {
    expect(parents(start('a'), start('b', 'a'), start('c', 'b'), ended('a'), start('d', 'a'))).toEqual([
      ['a', undefined],
      ['b', 'a'],
      ['c', 'b'],
      ['d', 'a'],
    ]);
  });

  it('name none that the turn does not have, and not themselves', () => {
    expect(parents(start('a', 'gone'), start('b', 'b'), start('b', 'b'), start('c', 'toString'))).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['b', undefined],
      ['c', undefined],
    ]);
  });

  it('learn later who started them, but never in a circle', () => {
    expect(parents(start('a'), start('b'), start('b', 'a'), start('b'), start('a', 'b'))).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['b', 'a'],
      ['b', 'a'],
      ['a', undefined],
    ]);
  });

  it('are nested to a limited depth', () => {
    const chain = Array.from({ length: 20 }, (_, n) => start(`c${n}`, n === 0 ? undefined : `c${n - 1}`));
    const depths = new Map<string, number>();
    for (const [id = '', parent] of parents(...chain)) depths.set(id, parent ? (depths.get(parent) ?? 0) + 1 : 0);
    expect(Math.max(...depths.values())).toBe(MAX_CALL_DEPTH);
    expect(depths.get('c19')).toBe(MAX_CALL_DEPTH);
  });

  it('keep the ids of clients where the id of the agent is none', () => {
    const odd = 'x'.repeat(5_000);
    const [first, second] = announced(start(odd), start('b', odd));
    expect(second?.parentToolCallId).toBe(first?.toolCallId);
    expect(first?.toolCallId).not.toBe(odd);
  });

  it('say which sub-agent asks', () => {
    const titles = announced(
      start('a'),
      asks('b', 'a'),
      ended('a'),
      asks('c', 'a'),
      asks('d', 'gone'),
      asks('e'),
    ).flatMap((call) => (call.status === 'running' ? [] : [call.confirmation.title]));
    expect(titles).toEqual([
      'Run it? (asked by: Doing a)',
      'Run it? (asked by: Doing a)',
      'Run it? (asked by: a sub-agent)',
      'Run it?',
    ]);
  });

  it('are found under a call that keeps working, however many there are', () => {
    const calls = Array.from({ length: 5_000 }, (_, n) => start(`c${n}`, 'a'));
    const last = parents(start('a'), ...calls).at(-1);
    expect(last).toEqual(['c4999', 'a']);
  });
});
