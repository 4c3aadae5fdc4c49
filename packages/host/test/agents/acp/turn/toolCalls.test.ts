import { expect, it } from 'vitest';
import { ToolCalls } from '../../../../src/agents/acp/turn/toolCalls.js';
import { TurnEvents } from '../../../../src/agents/acp/turn/turnEvents.js';
import type { AgentEvent } from '../../../../src/agents/agent.js';

it.each([
  ['read', true],
  ['search', true],
  ['edit', undefined],
  ['execute', undefined],
  ['fetch', undefined],
  ['other', undefined],
] as const)('a question about a call of kind %s says whether it only reads', (kind, readOnly) => {
  const events: AgentEvent[] = [];
  const calls = new ToolCalls({
    cwd: '/work',
    agentName: 'Stub',
    events: new TurnEvents((event) => void events.push(event)),
    changed: () => [],
    followTerminal: () => undefined,
  });
  const nothing = { name: undefined, status: undefined, content: undefined, locations: undefined, _meta: undefined };
  calls.ask({ toolCall: { ...nothing, toolCallId: 'c1', kind, title: 'It' }, options: [] }, () => undefined);
  const asked = events.flatMap((event) => (event.type === 'toolStart' ? [event.toolCall] : [])).at(-1);
  expect(asked?.status === 'pendingConfirmation' && asked.confirmation.readOnly).toBe(readOnly);
});
