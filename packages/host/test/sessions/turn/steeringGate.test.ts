import { setImmediate as immediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../src/agents/agent.js';
import { SteeringGate } from '../../../src/sessions/turn/steeringGate.js';

const text = (words: string): AgentEvent => ({ type: 'text', text: words });
const idle: AgentEvent = { type: 'idle' };

function setUp(graceMs = 60_000) {
  const told: string[] = [];
  const held = new SteeringGate((event) => told.push(event.type === 'text' ? event.text : event.type), graceMs);
  const handing = Promise.withResolvers<void>();
  const hand = () =>
    held.hand(
      () => handing.promise,
      () => told.push('accepted'),
    );
  return { told, held, handing, hand };
}

describe('SteeringGate', () => {
  it('passes everything while no message is handed over', () => {
    const { told, held } = setUp();
    for (const event of [text('a'), idle]) held.push(event);
    expect(told).toEqual(['a', 'idle']);
  });

  it("emits the acceptance before the agent's text", async () => {
    const { told, held, handing, hand } = setUp();
    held.push(text('before'));
    const handed = hand();
    handing.resolve();
    for (const event of [text('answer'), idle]) held.push(event);
    await handed;
    expect(told).toEqual(['before', 'accepted', 'answer', 'idle']);
  });

  it('delays text only briefly, but the end until the outcome is known', async () => {
    const { told, held, handing, hand } = setUp();
    const handed = hand();
    held.push(text('a'));
    await immediate();
    for (const event of [text('b'), idle]) held.push(event);
    expect(told).toEqual(['a', 'b']);
    handing.reject(new Error('too late'));
    await handed;
    expect(told).toEqual(['a', 'b', 'idle']);
  });

  it('does not believe an acceptance after the end was released, and asks for none', async () => {
    const { told, held, handing, hand } = setUp(1);
    const handed = hand();
    held.push(idle);
    await handed;
    handing.resolve();
    await hand();
    expect(told).toEqual(['idle']);
  });

  it('releases an end after its grace time, and a cancelled turn at once', async () => {
    const { told, held, hand } = setUp(1);
    void hand();
    held.push(idle);
    await expect.poll(() => told).toEqual(['idle']);
    const other = setUp();
    void other.hand();
    other.held.push(idle);
    other.held.release();
    expect(other.told).toEqual(['idle']);
  });
});
