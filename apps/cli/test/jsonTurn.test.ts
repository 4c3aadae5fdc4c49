import type { Turn } from '@agenthost/protocol';
import { afterEach, expect, it, vi } from 'vitest';
import { JsonTurnPrinter } from '../src/turn/jsonTurn.js';

afterEach(() => vi.restoreAllMocks());

it('a call that had ended when it was first seen has a start too; one that was denied has none', () => {
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  const base = { toolName: 'x', displayName: 'X', invocationMessage: 'Runs', startedAt: 1 };
  const ran = {
    ...base,
    toolCallId: 'ran',
    status: 'completed',
    confirmed: { reason: 'notNeeded' },
    output: { text: 'out' },
    result: { success: true, pastTenseMessage: 'Ran' },
  };
  const denied = { ...base, toolCallId: 'denied', status: 'cancelled', cancelled: 'denied' };
  const responseParts = ['ran', 'denied'].map((toolCallId) => ({ kind: 'toolCall', id: toolCallId, toolCallId }));
  const turn = { id: 't', userMessage: { text: 'x' }, state: 'complete', responseParts, toolCalls: [ran, denied] };
  new JsonTurnPrinter().update(turn as unknown as Turn);
  const events = lines.map((line) => JSON.parse(line) as { event: string });
  expect(events.map(({ event }) => event)).toEqual(['toolStarted', 'toolOutput', 'toolEnded', 'toolEnded']);
});
