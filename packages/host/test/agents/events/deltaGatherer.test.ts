import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../../../test/support/holds.js';
import type { AgentEvent } from '../../../src/agents/agent.js';
import { DeltaGatherer, type GatherTimer } from '../../../src/agents/events/deltaGatherer.js';

const text = (content: string): AgentEvent => ({ type: 'text', text: content });
const output = (toolCallId: string, content: string): AgentEvent => ({
  type: 'toolUpdate',
  toolCallId,
  output: content,
});
const idle: AgentEvent = { type: 'idle' };

function setUp(delayMs?: number) {
  const emitted: AgentEvent[] = [];
  const timers: { callback: () => void; ms: number; cancelled: boolean }[] = [];
  const timer: GatherTimer = {
    start: (callback, ms) => {
      const started = { callback, ms, cancelled: false };
      timers.push(started);
      return () => {
        started.cancelled = true;
      };
    },
  };
  const emit = (event: AgentEvent) => void emitted.push(event);
  const gatherer = new DeltaGatherer({ emit, timer, ...(delayMs !== undefined && { delayMs }) });
  return {
    gatherer,
    emitted,
    timers,
    fire: () =>
      timers
        .filter((t) => !t.cancelled)
        .at(-1)
        ?.callback(),
  };
}

describe('DeltaGatherer', () => {
  it('merges neighbours of one part and keeps the order of the rest', () => {
    const { gatherer, emitted, fire } = setUp();
    for (const event of [text('a'), text('b'), { type: 'reasoning', text: 'c' } as const, text('d')])
      gatherer.push(event);
    for (const event of [output('1', 'e'), output('1', 'f'), output('2', 'g'), output('1', 'h')]) gatherer.push(event);
    expect(emitted).toEqual([]);
    fire();
    expect(emitted).toEqual([
      text('ab'),
      { type: 'reasoning', text: 'c' },
      text('d'),
      output('1', 'ef'),
      output('2', 'g'),
      output('1', 'h'),
    ]);
  });

  it('merges the newest invocation message with all output', () => {
    const { gatherer, emitted } = setUp();
    gatherer.push({ type: 'toolUpdate', toolCallId: '1', output: 'a', invocationMessage: 'first' });
    gatherer.push({ type: 'toolUpdate', toolCallId: '1', invocationMessage: 'second' });
    gatherer.push(output('1', 'b'));
    gatherer.flush();
    expect(emitted).toEqual([{ type: 'toolUpdate', toolCallId: '1', output: 'ab', invocationMessage: 'second' }]);
  });

  it('flushes at once before any other event', () => {
    const { gatherer, emitted, timers } = setUp();
    gatherer.push(text('a'));
    gatherer.push(idle);
    expect([emitted, timers.map((t) => t.cancelled)]).toEqual([[text('a'), idle], [true]]);
  });

  it('starts one timer per gathering, of at most 10 ms', () => {
    const { gatherer, timers, fire } = setUp(1_000);
    gatherer.push(text('a'));
    gatherer.push(text('b'));
    fire();
    gatherer.push(text('c'));
    expect(timers.map((t) => t.ms)).toEqual([10, 10]);
    expect(setUp().timers).toEqual([]);
  });

  it('flushes when the gathered text grows large', () => {
    const { gatherer, emitted } = setUp();
    gatherer.push(text('x'.repeat(40_000)));
    expect(emitted).toHaveLength(1);
    for (let n = 0; n < 10_000; n++) gatherer.push(output(String(n), ''));
    expect(emitted.length).toBeGreaterThan(5_000);
  });

  it('drops waiting and later deltas when it is disposed', () => {
    const { gatherer, emitted, timers } = setUp();
    gatherer.push(text('a'));
    gatherer.dispose();
    gatherer.push(text('b'));
    gatherer.push(idle);
    gatherer.flush();
    expect([emitted, timers.every((t) => t.cancelled)]).toEqual([[], true]);
  });

  it('keeps the order when a listener makes the agent push again', () => {
    const emitted: AgentEvent[] = [];
    const gatherer: DeltaGatherer = new DeltaGatherer({
      emit: (event) => {
        emitted.push(event);
        if (emitted.length === 1) gatherer.push(idle);
      },
    });
    gatherer.push(text('a'));
    gatherer.push({ type: 'reasoning', text: 'b' });
    gatherer.flush();
    expect(emitted).toEqual([text('a'), { type: 'reasoning', text: 'b' }, idle]);
  });

  it('changes only how deltas are cut, whenever the timer fires', () => {
    const event = fc.oneof(
      fc.string().map(text),
      fc.string().map((content): AgentEvent => ({ type: 'reasoning', text: content })),
      fc.tuple(fc.constantFrom('1', '2'), fc.string()).map(([id, content]) => output(id, content)),
      fc.constant<AgentEvent>({ type: 'notice', text: 'n', severity: 'info' }),
      fc.constant<'fire'>('fire'),
    );
    holds(
      fc.property(fc.array(event), (steps) => {
        const { gatherer, emitted, fire } = setUp();
        for (const step of steps) {
          if (step === 'fire') fire();
          else gatherer.push(step);
        }
        gatherer.flush();
        expect(joined(emitted)).toEqual(joined(steps.filter((step) => step !== 'fire')));
      }),
    );
  });
});

/** One string in which only the cuts between deltas of one part are lost. */
function joined(events: readonly AgentEvent[]): string {
  let part = '';
  return events
    .map((event) => {
      const name = event.type === 'toolUpdate' ? `toolUpdate ${event.toolCallId}` : event.type;
      const content = event.type === 'toolUpdate' ? (event.output ?? '') : 'text' in event ? event.text : '';
      const head = name === part ? '' : `<${name}>`;
      part = event.type === 'notice' ? '' : name;
      return head + content;
    })
    .join('');
}
