import { expect, it } from 'vitest';
import { TurnEvents } from '../../../../src/agents/acp/turn/turnEvents.js';
import type { AgentEvent } from '../../../../src/agents/agent.js';

const text = (words: string): AgentEvent => ({ type: 'text', text: words });

function setUp() {
  const told: string[] = [];
  const events = new TurnEvents((event) => void (event.type === 'text' && told.push(event.text)));
  return { told, events };
}

it('emits at once without waiting events', () => {
  const { told, events } = setUp();
  events.emit(text('one'));
  expect(told).toEqual(['one']);
});

it('keeps the order when an event takes time', async () => {
  const { told, events } = setUp();
  const [first, second] = [Promise.withResolvers<AgentEvent[]>(), Promise.withResolvers<AgentEvent[]>()];
  events.emitLater(first.promise, () => []);
  events.emit(text('two'));
  events.emitLater(second.promise, () => []);
  events.emit(text('four'));
  second.resolve([text('three')]);
  await Promise.resolve();
  expect(told).toEqual([]);
  first.resolve([text('one')]);
  await events.settled();
  expect(told).toEqual(['one', 'two', 'three', 'four']);
  events.emit(text('five'));
  expect(told).toHaveLength(5);
});

it('emits a fallback when an event fails or too many wait', async () => {
  const { told, events } = setUp();
  events.emitLater(Promise.reject(new Error('no')), () => [text('failed')]);
  events.emitLater(new Promise(() => {}), () => [text('given up')]);
  for (let n = 0; n < 2_000; n++) events.emit(text(`${n}`));
  await events.settled();
  expect(told.slice(0, 3)).toEqual(['failed', 'given up', '0']);
  expect(told).toHaveLength(2_002);
});
