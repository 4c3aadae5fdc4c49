import type { ToolCallStart } from '@agenthost/protocol';
import { MAX_OPEN_STEPS, MAX_PART_LENGTH } from '@agenthost/protocol/internal';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../src/agents/agent.js';
import { AgentEventMapper } from '../../../src/agents/events/agentEventMapper.js';

const call = (toolCallId: string, toolInput = ''): ToolCallStart => ({
  toolCallId,
  toolName: 'x',
  displayName: 'Step',
  invocationMessage: 'Works',
  toolInput,
  status: 'running',
  confirmed: { how: 'notNeeded' },
});
const start = (id: string, input?: string): AgentEvent => ({ type: 'toolStart', toolCall: call(id, input) });
const complete = (toolCallId: string): AgentEvent => ({
  type: 'toolComplete',
  toolCallId,
  result: { success: true, pastTenseMessage: 'Worked' },
});
const ask = (requestId: string, message = ''): AgentEvent => ({
  type: 'permissionRequest',
  request: { requestId, kind: 'permission', title: 'May I?', message },
});

/** Issue 17, point 8: what can't leave the state of a turn is counted, and too much of it ends the turn. */
describe('an agent that floods its turn', () => {
  let mapper = new AgentEventMapper({ turnId: 't' });
  /** The first of these events that is too much, if any. */
  function firstFlood(events: Iterable<AgentEvent>): number | undefined {
    mapper = new AgentEventMapper({ turnId: 't' });
    let count = 0;
    for (const event of events) {
      count++;
      if (mapper.map(event).flood !== undefined) return count;
    }
    return undefined;
  }
  const times = (count: number, make: (n: number) => AgentEvent[]) =>
    Array.from({ length: count }, (_, n) => make(n)).flat();

  it('may have so many calls and questions open at the same time, and not one more', () => {
    const calls = times(MAX_OPEN_STEPS + 1, (n) => [start(`c${n}`)]);
    expect(firstFlood(calls)).toBe(MAX_OPEN_STEPS + 1);
    const both = times(MAX_OPEN_STEPS, (n) => [start(`c${n}`), ask(`q${n}`)]);
    expect(firstFlood(both)).toBe(MAX_OPEN_STEPS + 1);
    expect(mapper.map(start('more')).flood).toContain('more steps open at the same time');
  });

  it('may have any number of them one after the other', () => {
    expect(firstFlood(times(10 * MAX_OPEN_STEPS, (n) => [start(`c${n}`), complete(`c${n}`)]))).toBeUndefined();
  });

  it('is counted no question that was answered, and no call that was denied; one that was approved runs on', () => {
    mapper = new AgentEventMapper({ turnId: 't' });
    for (let n = 0; n < 3 * MAX_OPEN_STEPS; n++) {
      expect(mapper.map(ask(`q${n}`)).flood).toBeUndefined();
      mapper.answered(`q${n}`, n % 2 === 0);
      expect(mapper.map(start(`denied${n}`)).flood).toBeUndefined();
      mapper.answered(`denied${n}`, false);
    }
    let flood: string | undefined;
    for (let n = 0; n <= MAX_OPEN_STEPS; n++) {
      flood = mapper.map(start(`approved${n}`)).flood;
      mapper.answered(`approved${n}`, true);
    }
    expect(flood).toBeDefined();
  });

  it('may have so much text in open steps, and what they print counts as far as the state keeps it', () => {
    // A question keeps 16 KiB of its message at most.
    expect(firstFlood(times(MAX_OPEN_STEPS, (n) => [ask(`q${n}`, 'x'.repeat(100_000))]))).toBeUndefined();
    const line: AgentEvent = { type: 'toolUpdate', toolCallId: 'c', output: 'y'.repeat(60_000) };
    expect(firstFlood([start('c'), ...times(1_000, () => [line])])).toBeUndefined();
  });

  it('may make a limited number of steps in one turn', { timeout: 60_000 }, () => {
    const notice: AgentEvent = { type: 'notice', text: 'x', severity: 'info' };
    function* notices() {
      for (let n = 0; n < 250_000; n++) yield notice;
    }
    expect(firstFlood(notices())).toBe(200_001);
  });

  it('splits long text into several parts, never inside a character', () => {
    mapper = new AgentEventMapper({ turnId: 't' });
    const text = '😀'.repeat(MAX_PART_LENGTH);
    const parts = new Map<string, string>();
    for (const action of mapper.map({ type: 'text', text: `x${text}` }).actions) {
      if (action.type === 'session/responsePart' && 'id' in action.part) parts.set(action.part.id, '');
      if (action.type === 'session/delta') parts.set(action.partId, (parts.get(action.partId) ?? '') + action.content);
    }
    expect([...parts.values()].join('')).toBe(`x${text}`);
    expect(parts.size).toBeGreaterThanOrEqual(3);
    for (const part of parts.values()) {
      expect(part.length).toBeLessThanOrEqual(MAX_PART_LENGTH);
      expect(part.isWellFormed()).toBe(true);
    }
  });
});
